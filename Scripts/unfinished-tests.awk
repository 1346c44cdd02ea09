#!/usr/bin/awk -f
# Prints the tests that started but didn't end in a log of `swift test`.

# Returns the name, without the mark before it and the arguments and times after it.
function test(line) {
  sub(/^[^T]*Test /, "", line)
  sub(/ (started\.|(passed|failed) after .*|skipped(\.|: .*))$/, "", line)
  sub(/ with [0-9]+ test cases?$/, "", line)
  return line
}

/Test case passing|Test run / { next }
/ Test .* started\.$/ { running[test($0)]++ }
/ Test .* (passed|failed) after / { running[test($0)]-- }
/ Test .* skipped(\.|: )/ { running[test($0)]-- }

END {
  for (name in running)
    if (running[name] > 0) print "  " name
}
