// unistd.h has it for GNU's sources alone, and Swift's module of the C library is made without them. Other systems than Linux have no such call.
#ifdef __linux__
int syncfs(int descriptor);
#endif
