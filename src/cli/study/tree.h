/* A plan as a tree, from YAML (libfyaml) or JSON, with the place of everything in the file.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_TREE_H
#define ORR_CLI_STUDY_TREE_H

typedef enum { TREE_TEXT, TREE_LIST, TREE_MAP } tree_kind;

typedef struct tree {
    tree_kind kind;
    char *key;        /* of a member of a map, else NULL */
    char *text;       /* of TREE_TEXT; numbers as they are spelt */
    int line, column; /* from 1; of a member of a map those of its key */
    struct tree *first, *next;
} tree;

/* CLI_OK, CLI_FILE with file and line told, CLI_MEMORY, or CLI_SKIPPED: it is YAML, and there is no libfyaml.
 * A file whose first character is { is JSON; "-" is standard input. */
int tree_read(tree **, const char *path);
/* What messages call it. */
const char *tree_file_name(const char *path);
void tree_free(tree *);
const tree *tree_member(const tree *map, const char *key);
/* CLI_FILE: two members of a map have one name, or two elements of a list one text; of several such pairs that
 * whose second one comes first. CLI_OK: none. CLI_MEMORY. */
int tree_twice(const tree *, const tree **first, const tree **second);

/* For the two readers. NULL: no memory; what was given is freed with *root. */
tree *tree_new(tree_kind, const char *key, const char *text, int line, int column);
/* YAML in `text`: the codes of tree_read. */
int tree_yaml(tree **, const char *path, const char *text);

#endif
