"""Builds the package: the library by its own Makefile, whose flags decide what bits come out,
then the module by CFFI.  What else there is to say stands in pyproject.toml."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cdef  # noqa: E402  what stands beside this file


class build_library_first(build_ext):
    def run(self):
        target = cdef.ARCHIVE.relative_to(cdef.TREE)
        subprocess.run(["make", "-s", f"-j{os.cpu_count() or 1}", f"VARIANT={cdef.VARIANT}",
                        str(target)], cwd=cdef.TREE, check=True)
        super().run()


class sdist_with_library(sdist):
    """The sources of the library go along, in a folder of their own: see cdef.TREE."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        tree = Path(base_dir) / "libpeck"
        for name in ("Makefile", "LICENSE", "peck.pc.in", "include", "src", "python/rules.mk"):
            source, target = cdef.TREE / name, tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copyfile(source, target)


setup(version=cdef.version(),
      license_files=["libpeck/LICENSE"] if cdef.TREE.name == "libpeck" else [],
      cffi_modules=["cdef.py:ffibuilder"],
      cmdclass={"build_ext": build_library_first, "sdist": sdist_with_library},
      options={"bdist_wheel": {"py_limited_api": "cp39"}})
