// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source of the BTF that btf_test reads as pahole writes it; never run.
 * Each function is there for one thing that a prototype can hold.
 */
typedef unsigned long size_type;
enum color { RED };
union value { int i; long l; };
struct unknown;

struct node {
	struct node *next;
	union {
		long number;
		char text[8];
	};
	unsigned int flag : 3;
	struct {
		int last;
	};
};

int plain(int a, char b) { return a + b; }
void nothing(void) { }
int variable(const char *fmt, ...) { return !fmt; }
struct node *pointers(struct node **a, const struct node *b, const char *const *c)
{
	return b || c ? *a : 0;
}
long callback(int (*fn)(void *, size_type), void *arg) { return fn(arg, 0); }
int (*returns_callback(int n))(void *, size_type) { return n ? (void *)0 : 0; }
int table(int (*rows)[4], enum color c, union value *v) { return rows[0][c] + v->i; }
long ten(long a, int b, short c, char d, long e, void *f, int g, long h, const char *i,
	 unsigned int j)
{
	return a + b + c + d + e + !f + g + h + !i + j;
}
void qualified(volatile int *a, int *const *b) { *a = **b; }
void opaque(struct unknown *u) { (void)u; }
