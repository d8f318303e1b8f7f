# The documents as a site, and their tests.

site: docs/man/peck.1 ## the documents as a site with search, build/site: opens from a disk
	python3 tools/site.py build/site
.PHONY: site

LINES_install += 'site tools: python3 tests/site_tools.py' 'guides: python3 tests/guides.py' 'site: python3 tests/browser/site.py'
