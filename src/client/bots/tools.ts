/** Developers' tools that no table lists: they state the language or platform that they were built for. */
import type { Bot } from '../kinds.ts';
import { saysBot } from './apps.ts';

/** A tool states itself first. */
const product = /^([A-Za-z@][\w.@+-]{0,40}(?: [\w.@+-]{1,20}){0,2})(?:\/| \()v?\d/;

const runtime =
  /[ (;](?:(?:C?[Pp]ython|PyPy|[Nn]ode(?:\.js)?|deno|bun|J?[Rr]uby|Java|OpenJDK|PHP|[Pp]erl|rustc|Elixir|Erlang|OTP|Julia|Swift|dotnet|\.NET|ghc|zig|Lua)[/ ]v?\d|R \(\d|go(?:\/go)?1\.\d)/;

/** As Go and Node.js write a platform, and the triples of compilers. */
const platform =
  /\b(?:linux|darwin|windows|win32|freebsd|openbsd)[/_ -](?:amd64|x86_64|x64|arm64|aarch64|386|armv?\d)\b|\b(?:x86_64|aarch64|arm64|amd64|i686|riscv64)-(?:\w+-)?(?:linux|darwin|windows|freebsd|mingw)/;

/** Returns a tool by what it was built for. One that links a page may be a bot, and is left to the lists. */
export function findTool(text: string): Bot | null {
  const name = text.startsWith('Mozilla/') ? undefined : product.exec(text)?.[1];
  if (name === undefined || text.includes('://') || saysBot(text)) return null;
  return runtime.test(text) || platform.test(text) ? { name, kind: 'cli', operator: null } : null;
}
