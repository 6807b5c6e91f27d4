/** Checks whether a TCP port of the client is open from the internet: the service connects to the client's own address, and to nothing else. */
import * as z from 'zod';
import { type ErrorCode, errors, ServiceError } from '../../core/errors.ts';
import { fieldOf } from '../../core/field.ts';
import { maxPort, portTimeoutMs } from '../../core/limits.ts';
import type { ObservedRequest } from '../../core/observed.ts';
import { type ConnectionFailure, type Platform, portStates } from '../../core/platform.ts';

export const PortCheck = z
  .object({
    ip: fieldOf(z.string())('IP address', 'Your IP address, to which the service connected'),
    port: fieldOf(z.int())('Port', 'TCP port to which the service connected'),
    state: fieldOf(z.enum(portStates))(
      'State',
      `open: the port accepts connections; closed: the device or a firewall refuses them; filtered: no response within ${portTimeoutMs / 1000} seconds, or an ICMP message that the address is unreachable`,
    ),
    elapsedMs: fieldOf(z.int())('Time', 'Time until the response in milliseconds', ' ms'),
  })
  .meta({ id: 'PortCheck', description: 'Whether a TCP port of your IP address is open from the internet' });
export type PortCheck = z.infer<typeof PortCheck>;

const failures: Readonly<Record<ConnectionFailure, readonly [code: ErrorCode, message: string]>> = {
  unknown: [
    'blocked_address',
    'Your IP address is uncertain, because a proxy may be in front of the service; its operator must set TRUST_PROXY.',
  ],
  blocked: ['blocked_address', 'Your IP address is private or reserved; send the request over the internet.'],
  own: ['invalid_target', 'Your IP address is that of the service itself; send the request from another network.'],
  hosts_unknown: [
    'upstream_error',
    "DNS failed for the service's own host names, which must not be connected to; try again later.",
  ],
  no_route: [
    'target_unreachable',
    'The service has no route to your IP address; try the other IP version, such as with curl -4 or -6.',
  ],
  overloaded: ['overloaded', errors.overloaded.message],
};

/**
 * Throws `invalid_query`; `not_enabled` if the deployment checks no ports; `blocked_address`, `invalid_target`, `upstream_error`,
 * `target_unreachable` or `overloaded` if it could not connect: unknown is not a state.
 */
export async function checkPort(
  text: string,
  observed: ObservedRequest | undefined,
  { connectBack }: Pick<Platform, 'connectBack'>,
): Promise<PortCheck> {
  const port = parsePort(text);
  if (connectBack === null || observed === undefined) throw new ServiceError('not_enabled');
  const outcome = await connectBack(observed, port);
  if ('failure' in outcome) throw new ServiceError(...failures[outcome.failure]);
  const { state, elapsedMs } = outcome;
  return { ip: observed.ip ?? '', port, state, elapsedMs: Math.round(elapsedMs) };
}

/** Throws `invalid_query`. */
export function parsePort(text: string): number {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > maxPort)
    throw new ServiceError('invalid_query', `port must be one number from 1 to ${maxPort}, such as 443.`);
  return port;
}
