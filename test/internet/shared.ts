/** A simulated internet for all tests of a process: its start takes as long as the start of a service. */
import { after } from 'node:test';
import { openInternet, type SimulatedInternet } from './internet.ts';

let opened: Promise<SimulatedInternet> | null = null;
after(async () => (await opened)?.close());

/**
 * Opens it, or returns the open one without the arrivals and decoy hits of earlier tests. A test removes its faults and ends its programs;
 * the simulated internet is closed after all tests.
 */
export async function sharedInternet(): Promise<SimulatedInternet> {
  opened ??= openInternet();
  const internet = await opened;
  await Promise.all([internet.arrivals(), internet.decoyHits()]);
  return internet;
}
