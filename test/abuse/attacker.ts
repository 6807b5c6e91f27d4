/** Runs attacks in a process of their own, so that they take no time from the measuring client. */
import {
  acceptSlowly,
  dripHellos,
  openStreams,
  pipelineRequests,
  readSlowly,
  resetRapidly,
  sendUselessFrames,
  shakeHands,
} from './attacks.ts';
import { openStreamsTogether, sendHellosTogether } from './burst-attacks.ts';
import { floodConnections, loadPages } from './connection-attacks.ts';
import { floodDatagrams } from './datagram-attacks.ts';
import { sendFrames } from './frame-attacks.ts';
import { stallHandshakes, updateKeys, wasteRecords } from './held-handshakes.ts';
import { sendWrites } from './held-writes.ts';
import { floodStreams } from './quic-attacks.ts';
import { sendRejected } from './rejected-writes.ts';
import { callTools, callToolsOverHttp2, holdBodies } from './tool-attacks.ts';

const attacks = {
  acceptSlowly,
  callTools,
  callToolsOverHttp2,
  dripHellos,
  floodConnections,
  floodDatagrams,
  floodStreams,
  holdBodies,
  loadPages,
  openStreams,
  openStreamsTogether,
  pipelineRequests,
  readSlowly,
  resetRapidly,
  sendFrames,
  sendHellosTogether,
  sendRejected,
  sendUselessFrames,
  sendWrites,
  shakeHands,
  stallHandshakes,
  updateKeys,
  wasteRecords,
};
export type Attacks = typeof attacks;
export type AttackName = keyof Attacks;

process.on('message', async ({ name, attack }: { name: AttackName; attack: never }) => {
  const run = attacks[name] as (attack: never) => Promise<unknown>;
  process.send?.('begun');
  const result = await run(attack);
  process.send?.(result);
});
