/* sanitizer.c -- AddressSanitizer ends a program that asks for too much memory; here that
 * is an ordinary error to be tested.  Unused in builds without it.                   */

__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
