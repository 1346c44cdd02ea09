// unistd.h declares this only with _GNU_SOURCE, and Swift's module of the C library is built without it. Only Linux has this
// call.
#ifdef __linux__
int syncfs(int descriptor);
#endif
