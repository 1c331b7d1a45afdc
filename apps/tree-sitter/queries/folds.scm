(repetition) @fold
