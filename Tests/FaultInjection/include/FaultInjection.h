#ifndef COFFER_FAULT_INJECTION_H
#define COFFER_FAULT_INJECTION_H

// A library that is loaded before all others (LD_PRELOAD) and makes one of the calls that change files fail. Linux only.
//
// It watches and counts the calls on files in one folder. The environment decides what happens:
//
//     FAULT_FOLDER=/tmp/x     the folder, without links in its path
//     FAULT_CALL=write        the calls to count: write, sync, rename (and link), remove, create, truncate, or any
//     FAULT_NUMBER=3          the call that fails, here the third (from 1); if missing, none fails
//     FAULT_ACTION=ENOSPC     the call fails with this error: ENOSPC or EIO
//                  kill       the process is killed (SIGKILL) instead of the call
//                  cut        half of the bytes are written (a call that writes none is made), then the process is killed
//                  short      half of the bytes are written: the caller must write the rest
//     FAULT_STICKY=1          all later calls fail, too: those that need space after ENOSPC or short, all after EIO
//     FAULT_AFTER=1500        the process is killed this many microseconds after it was loaded
//     FAULT_REPORT=/tmp/r     a file that gets a line `fired write /tmp/x/a` for the fault, and if a process exits by itself,
//                             `count write 17` for each kind of call and `microseconds 81234`

#endif
