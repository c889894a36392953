"""module.py INCLUDE_DIR OUTPUT: the Fortran module orrery, from the headers types, plan, orrery and sparse.

Structs become types with bind(c), whose members have C's zeros as defaults; enums and constants parameters; functions
interfaces of the same names. Every pointer is a type(c_ptr) by value, so that c_null_ptr is NULL.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import sys

HEADERS = ("types", "plan", "orrery", "sparse")
KINDS = {"int": "integer(c_int)", "int32_t": "integer(c_int32_t)", "uint32_t": "integer(c_int32_t)",
         "int64_t": "integer(c_int64_t)", "uint64_t": "integer(c_int64_t)", "size_t": "integer(c_size_t)",
         "double": "real(c_double)", "char": "character(kind=c_char)"}
ZEROS = {"integer": "0", "real": "0", "character": "c_null_char", "type(c_ptr)": "c_null_ptr",
         "type(c_funptr)": "c_null_funptr"}
enums, structs, functions, constants = set(), {}, [], {}


def plain(path):
    """The declarations of a header: no comments, no lines of the preprocessor."""
    with open(path, encoding="utf-8") as f:
        code = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    for name, value in re.findall(r"^#define (ORR_\w+) (\d+)\s*$", code, flags=re.M):
        constants[name] = int(value)
    code = re.sub(r"^\s*#.*(\\\n.*)*$", "", code, flags=re.M)
    code = re.sub(r'extern "C" \{', "", code)
    return re.sub(r"\s+", " ", code)


def declarations(code):
    """Split at the semicolons outside braces."""
    depth, start = 0, 0
    for k, c in enumerate(code):
        depth += (c == "{") - (c == "}")
        if c == ";" and depth == 0:
            yield code[start:k].strip()
            start = k + 1


def enumerators(body):
    value = -1
    for item in filter(None, (x.strip() for x in body.split(","))):
        name, _, given = (x.strip() for x in item.partition("="))
        value = int(constants.get(given, given)) if given else value + 1
        constants[name] = value


def declarators(text):
    """Of "int a, *b, c[3]" or "T (*f)(...)": pairs of Fortran type and name with its shape."""
    function = re.match(r".*\(\*(\w+)\)\(.*\)$", text)
    if function:
        return [("type(c_funptr)", function.group(1))]
    base, names = re.match(r"(?:const )?(?:struct )?(\w+)((?: const)?[ *].*)$", text).groups()
    pairs = []
    for name in names.split(","):
        word, dims = re.match(r"[ *]*(?:const )?[ *]*(\w+)((?:\[\w+\])*)$", name.strip()).groups()
        shape = ",".join(reversed(re.findall(r"\w+", dims)))
        pairs.append(("type(c_ptr)" if "*" in name else kind_of(base), word + (f"({shape})" if shape else "")))
    return pairs


def kind_of(base):
    if base in enums:
        return KINDS["int"]
    return KINDS.get(base) or f"type({base})"


def parameter(text, k):
    """Type and name of an argument; where the header has none, that of its struct, or argK."""
    text = text.strip()
    array = re.sub(r"(\w+)\[\w*\]$", r"*\1", text)
    if "(*" in array:
        return "type(c_funptr)", re.search(r"\(\*(\w*)\)", array).group(1) or f"arg{k}"
    base, stars, name = re.match(r"(?:const )?(?:struct )?(\w+) ?(?:const)?([ *]*)(?:const )?(\w*)$", array).groups()
    if not name and base.startswith("orr_"):
        name = "opts" if base.endswith("_opts") else base[len("orr_"):]
    return "type(c_ptr)" if "*" in stars else kind_of(base), name or f"arg{k}"


def arguments(text):
    depth, start, items = 0, 0, []
    for k, c in enumerate(text + ","):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            items.append(text[start:k])
            start = k + 1
    return [] if items == ["void"] else items


def read(code):
    for text in declarations(code):
        enum = re.match(r"(?:typedef )?enum \{(.*)\} ?(\w*)$", text)
        struct = re.match(r"typedef struct(?: \w+)? \{(.*)\} (\w+)$", text)
        function = re.match(r"ORR_API (?:const )?(\w+) ?(\**) ?(\w+)\((.*)\)$", text)
        if enum:
            enumerators(enum.group(1))
            enums.add(enum.group(2))
        elif struct:
            structs[struct.group(2)] = [d for m in struct.group(1).split(";") if m.strip() for d in declarators(m.strip())]
        elif function:
            base, star, name, args = function.groups()
            result = "" if base == "void" and not star else "type(c_ptr)" if star else kind_of(base)
            functions.append((name, result, [parameter(a, k + 1) for k, a in enumerate(arguments(args))]))
        elif text and not re.match(r"typedef struct \w+ \w+$", text):
            sys.exit(f"not understood: {text}")


def wrapped(line):
    """At most 100 columns, with continuations."""
    while len(line) > 100:
        cut = line.rfind(", ", 0, 98) + 1
        yield line[:cut] + " &"
        line = "        " + line[cut:].strip()
    yield line


def written():
    yield "! Made of Orrery's headers by packaging/fortran/module.py. SPDX-License-Identifier: BSD-3-Clause"
    yield "module orrery"
    yield "    use, intrinsic :: iso_c_binding"
    yield "    implicit none"
    yield "    public"
    yield ""
    for name, value in constants.items():
        yield f"    integer(c_int), parameter :: {name} = {value}"
    for name, members in structs.items():
        yield f"\n    type, bind(c) :: {name}"
        for kind, member in members:
            zero = next((z for start, z in ZEROS.items() if kind.startswith(start)), None)
            yield f"        {kind} :: {member}" + (f" = {zero}" if zero else "")
        yield f"    end type {name}"
    yield "\n    interface"
    for name, result, args in functions:
        seen = [a.lower() for _, a in args]
        if len(set(seen)) < len(seen):  # Fortran has one case
            args = [(kind, f"{a}_{k}" if seen.count(a.lower()) > 1 else a) for k, (kind, a) in enumerate(args, 1)]
        words = ", ".join(a for _, a in args)
        what = "function" if result else "subroutine"
        yield f"        {what} {name}({words})" + (" result(res)" if result else "") + f' bind(c, name="{name}")'
        yield "            import"
        for kind, a in args:
            yield f"            {kind}, value :: {a}"
        if result:
            yield f"            {result} :: res"
        yield f"        end {what} {name}"
    yield """    end interface

contains

    ! What a C string says, e.g. orr_strerror's.
    function orrery_text(string) result(text)
        type(c_ptr), intent(in) :: string
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: k
        interface
            function c_strlen(s) result(length) bind(c, name="strlen")
                import
                type(c_ptr), value :: s
                integer(c_size_t) :: length
            end function c_strlen
        end interface
        call c_f_pointer(string, letters, [c_strlen(string)])
        allocate (character(len=size(letters)) :: text)
        do k = 1, size(letters)
            text(k:k) = letters(k)
        end do
    end function orrery_text
end module orrery"""


for header in HEADERS:
    read(plain(os.path.join(sys.argv[1], "orrery", header + ".h")))
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for item in written():
        for piece in item.split("\n"):
            out.writelines(part + "\n" for part in wrapped(piece))
