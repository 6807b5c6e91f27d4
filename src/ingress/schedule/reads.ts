/** Bounds what is read from connections with many requests in an iteration of the event loop. */
import { Turns } from '../../native/turns.ts';
import type { IngressBounds } from '../bounds.ts';

/** A connection whose client can be made to wait. */
export interface ReadPort {
  /** See `Scheduler.add`. */
  readonly flow: unknown;
  /** Bytes counted in the current iteration. */
  iterationBytes: number;
  stopReading(): void;
  resumeReading(): void;
}

export class Reads {
  readonly #bounds: IngressBounds;
  readonly #beginIteration: () => void;
  /** By flow; flows, and the connections of each, in the order of their latest reads. */
  readonly #ports = new Map<unknown, Set<ReadPort>>();
  /** Connections that are not read until the next iteration. The order in which reading is resumed becomes that in which the kernel reports them. */
  readonly #stopped = new Turns<ReadPort>();
  /** Connections that have been read in this iteration. */
  #active: ReadPort[] = [];
  #isStopped = false;
  #streams = 0;
  #bytes = 0;

  constructor(bounds: IngressBounds, beginIteration: () => void) {
    this.#bounds = bounds;
    this.#beginIteration = beginIteration;
  }

  /** Includes a connection in the bounds; returns what removes it. */
  track(port: ReadPort): () => void {
    const { flow } = port;
    const ports = this.#ports.get(flow);
    if (ports === undefined) this.#ports.set(flow, new Set([port]));
    else ports.add(port);
    return () => {
      const others = this.#ports.get(flow);
      if (others?.delete(port) && others.size === 0) this.#ports.delete(flow);
      this.#stopped.delete(port, flow);
    };
  }

  /**
   * Counts what a connection costs: `streams` that it opens, or that its end closes, and `bytes` received since the previous call. Other
   * work counts in the cost of a stream, such as 0.5 for a DATA frame. Time is not counted: on a busy machine, it passes without any work.
   *
   * Node parses the bytes of all readable connections in one iteration: 100 connections that open 100 streams each take 150 ms. Above
   * `maxConnectionBytesPerIteration`, reading from this connection stops until the next iteration; above `maxStreamsPerIteration` or
   * `maxBytesPerIteration`, from all of them. Then flows take turns, first the flows of which nothing was read for a second.
   */
  count(port: ReadPort, streams: number, bytes: number): void {
    this.#beginIteration();
    if (port.iterationBytes === 0) this.#noteRead(port);
    port.iterationBytes += bytes;
    this.#streams += streams;
    this.#bytes += bytes;
    const { maxStreamsPerIteration, maxBytesPerIteration, maxConnectionBytesPerIteration } = this.#bounds;
    if (this.#streams >= maxStreamsPerIteration || this.#bytes >= maxBytesPerIteration) {
      // Again, because it may have been accepted, or read again, after the others were stopped.
      if (this.#isStopped) this.#stop(port);
      else for (const ports of this.#ports.values()) for (const each of ports) this.#stop(each);
      this.#isStopped = true;
    } else if (port.iterationBytes >= maxConnectionBytesPerIteration) this.#stop(port);
  }

  /** Resumes reading from a connection, unless it was stopped in this iteration. */
  resume(port: ReadPort): void {
    if (!this.#stopped.has(port, port.flow)) port.resumeReading();
  }

  endIteration(): void {
    // Usually there are none, and each loop takes some µs of a visit that comes alone.
    if (this.#active.length > 0) {
      for (const port of this.#active) port.iterationBytes = 0;
      this.#active = [];
      this.#stopped.forgetRecent(performance.now());
    }
    const { size } = this.#stopped;
    for (let at = 0; at < size; at += 1) this.#stopped.take()?.[0].resumeReading();
    this.#isStopped = false;
    this.#streams = 0;
    this.#bytes = 0;
  }

  #noteRead(port: ReadPort): void {
    this.#active.push(port);
    const { flow } = port;
    const ports = this.#ports.get(flow);
    // It may have ended.
    if (!ports?.delete(port)) return;
    ports.add(port);
    this.#ports.delete(flow);
    this.#ports.set(flow, ports);
    this.#stopped.note(flow);
  }

  #stop(port: ReadPort): void {
    this.#stopped.add(port, port.flow);
    port.stopReading();
  }
}
