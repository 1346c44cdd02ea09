#ifndef COFFER_FAULT_INJECTION_H
#define COFFER_FAULT_INJECTION_H

// A library that is loaded before all others (LD_PRELOAD) and lets one of the calls that change files go wrong. Linux alone.
//
// It looks at calls on what lies in one folder and counts them. The environment says what happens:
//
//     FAULT_FOLDER=/tmp/x     the folder, without links in its path
//     FAULT_CALL=write        which calls are counted: write, sync, rename (and link), remove, create, truncate, or any
//     FAULT_NUMBER=3          the third of them (from 1); none where it is missing
//     FAULT_ACTION=ENOSPC     it fails with this error: ENOSPC or EIO
//                  kill       the process is killed (SIGKILL) in place of the call
//                  cut        half of what is to be written is, or the call is made whole if it writes nothing; then the process is killed
//                  short      half of what is to be written is: the caller has to see to the rest
//     FAULT_STICKY=1          from then on all others fail, too: each that needs space after ENOSPC or short, each at all after EIO
//     FAULT_AFTER=1500        the process is killed so many microseconds after it has been loaded
//     FAULT_REPORT=/tmp/r     a file that learns, a line each: `fired write /tmp/x/a` where it happened; and where a process ends by itself
//                             `count write 17` for each kind of calls and `microseconds 81234`

#endif
