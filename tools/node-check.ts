/** The first statement of a library: on a Node that is too old, a sentence instead of a function that is missing somewhere inside. */

/**
 * `needs` is a function that the oldest sufficient version has, and no older one; `versions` names it. Other runtimes have the function too, or
 * have no version of Node.
 */
export const nodeCheck = (library: string, needs: string, versions: string): string =>
  `if(globalThis.process?.versions?.node&&!${needs})throw new Error("${library}: Node "+globalThis.process.versions.node+" is too old; install Node ${versions}.");`;
