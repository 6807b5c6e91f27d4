/** AsyncDisposableStack for Node 22, which lacks it; only the members that this project uses. */
class Stack {
  #disposers: (() => unknown)[] = [];

  defer(dispose: () => unknown): void {
    this.#disposers.push(dispose);
  }

  move(): Stack {
    const moved = new Stack();
    moved.#disposers = this.#disposers.splice(0);
    return moved;
  }

  async disposeAsync(): Promise<void> {
    for (let dispose = this.#disposers.pop(); dispose !== undefined; dispose = this.#disposers.pop()) await dispose();
  }

  [Symbol.asyncDispose] = this.disposeAsync;
}

Object.assign(globalThis, { AsyncDisposableStack: Stack });

export {};
