/* A program outside the tree: the installed headers and library, nothing else. */
#include <orrery/io.h>
#include <orrery/orrery.h>
#include <stdio.h>

int main(void)
{
    puts(orr_version());
    return orr_type_size(ORR_Z) == 16 ? 0 : 1;
}
