/** Stack traces without the lines of Node itself. */
export const isOfProject = (line: string): boolean => !/^\s+at .*\bnode:/.test(line);
