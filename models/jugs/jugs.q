E<> content[3] == 9
E<> Left.pouring
E<> Left.helping and content[1] == 3
