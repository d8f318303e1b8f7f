/* test_html.c -- the frame of a page: escaping, numbers, tables, links. */
#include "support/blank.h"

#include "page/html.h"

#include <math.h>

static void what_comes_from_outside_cannot_be_a_tag(void **state)
{
    (void)state;
    html_escape_str(&page, "<script>\"a\" & 'b'</script>");
    assert_string_equal(page.s,
                        "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;");
}

static void broken_letters_and_control_characters_are_replaced(void **state)
{
    (void)state;
    html_escape(&page, (peck_span){ "a\xFF\x01z\0y", 6 });
    assert_string_equal(page.s, "a\xEF\xBF\xBD z y");
    page.len = 0;
    html_escape_str(&page, "Kekäläinen – ✓");
    assert_string_equal(page.s, "Kekäläinen – ✓");
}

static void numbers_have_true_minus_signs_and_nan_a_dash(void **state)
{
    (void)state;
    html_number(&page, 0.51234, 4);
    text_add_str(&page, " ");
    html_number(&page, -0.5, 1);
    text_add_str(&page, " ");
    html_signed(&page, 0.25, 2);
    text_add_str(&page, " ");
    html_signed(&page, 0, 2);
    text_add_str(&page, " ");
    html_number(&page, (double)NAN, 2);
    assert_string_equal(page.s, "0.5123 −0.5 +0.25 0.00 –");
}

static void a_page_is_whole_and_loads_nothing(void **state)
{
    (void)state;
    html_open(&page, "A & B");
    html_close(&page, "us");
    assert_false(page.failed);
    assert_non_null(strstr(page.s, "<title>A &amp; B</title>"));
    assert_non_null(strstr(page.s, "default-src 'none'"));
    assert_null(strstr(page.s, "http://"));
    assert_null(strstr(page.s, "https://"));
    assert_null(strstr(page.s, " src="));
    assert_non_null(strstr(page.s, "</html>\n"));
}

static void links_lead_to_the_sections_of_level_two(void **state)
{
    struct text links;

    (void)state;
    text_init(&links, 1000);
    html_section(&page, 2, "one", "R&D");
    html_section(&page, 3, "inner", "not this");
    html_section_end(&page);
    html_section_end(&page);
    html_section(&page, 2, "two", "Two");
    html_links(&links, &page);
    assert_string_equal(links.s,
                        "<nav aria-label=\"Sections\">\n<a href=\"#one\">R&amp;D</a>\n"
                        "<a href=\"#two\">Two</a>\n</nav>\n");
    text_free(&links);
}

static void tables_say_how_they_are_sorted(void **state)
{
    static const struct html_column column[] = { { "run", NULL, true, 0 },
                                                 { "map", "a \"hint\"", false, -1 } };

    (void)state;
    html_table(&page, column, 2);
    html_row(&page);
    html_cell_text(&page, span_of("a<b"));
    html_cell_signed(&page, -1, 1);
    html_table_end(&page);
    assert_non_null(strstr(page.s, "<th scope=\"col\" class=\"t\"><button"));
    assert_non_null(
        strstr(page.s, "aria-sort=\"descending\" title=\"a &quot;hint&quot;\""));
    assert_non_null(strstr(page.s, "<td class=\"t\">a&lt;b<td class=\"down\">−1.0"));
}

static void sentences_are_escaped_whole(void **state)
{
    (void)state;
    html_tell(&page, "how", "%s beats %d < %d", "<i>", 1, 2);
    assert_string_equal(page.s, "<p class=\"how\">&lt;i&gt; beats 1 &lt; 2</p>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_PAGE(what_comes_from_outside_cannot_be_a_tag),
        ON_PAGE(broken_letters_and_control_characters_are_replaced),
        ON_PAGE(numbers_have_true_minus_signs_and_nan_a_dash),
        ON_PAGE(a_page_is_whole_and_loads_nothing),
        ON_PAGE(links_lead_to_the_sections_of_level_two),
        ON_PAGE(tables_say_how_they_are_sorted),
        ON_PAGE(sentences_are_escaped_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
