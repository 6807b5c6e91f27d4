/** Checks the ports before packages are installed, which takes minutes on the first start. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fail } from './project.mjs';

/** Ports with their defaults, as in src/core/settings.ts. */
const ports = { PORT: '8080', TLS_PORT: '8443' };

/**
 * Ends this process if another one listens on a port of the service; does nothing for other commands. Invalid values are reported at the start.
 * @param {readonly string[]} args
 */
export async function checkPorts(args) {
  if (args.some((each) => ['--help', '-h', '--version'].includes(each))) return;
  const [first = 'serve'] = args.filter((each, at) => !each.startsWith('-') && !isFlag(args[at - 1]));
  if (!['serve', 'dev'].includes(first) || settingOf('REUSE_PORT', args) === 'on') return;
  for (const [variable, standard] of Object.entries(ports)) {
    const port = Number(settingOf(variable, args) || standard);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) continue;
    const server = createServer();
    const host = settingOf('HOST', args) || undefined;
    try {
      server.listen({ port, host });
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === 'EADDRINUSE') fail(`${variable}: port ${port} is in use; choose another with --${flagOf(variable)}`);
      fail(`${variable}: cannot listen on port ${port} (${code}); choose another port, or an address of this machine`);
    }
  }
}

/** Whether the next argument is the value of this one. @param {string | undefined} argument */
const isFlag = (argument) => argument !== undefined && /^--[^=]+$/.test(argument);

const flagOf = (/** @type {string} */ variable) => variable.toLowerCase().replace('_', '-');

/** @param {string} variable @param {readonly string[]} args */
function settingOf(variable, args) {
  const flag = `--${flagOf(variable)}`;
  const at = args.lastIndexOf(flag);
  const joined = args.findLast?.((each) => each.startsWith(`${flag}=`));
  return (at === -1 ? joined?.slice(flag.length + 1) : args[at + 1]) || process.env[variable];
}
