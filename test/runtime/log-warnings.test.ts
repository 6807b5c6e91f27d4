/** Node's warnings in the log of a service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start, stop } from '../service-process.ts';

/** On a signal, Node warns, and the service reloads afterwards. */
const warn = `process.on('SIGUSR2', () => {
  process.emitWarning('tag-5183', { type: 'TaggedWarning', code: 'TAG1' });
  setImmediate(() => process.kill(process.pid, 'SIGHUP'));
});`;

async function printedBy(changed: Record<string, string>): Promise<string> {
  const service = await start(warn, { changed });
  service.child.kill('SIGUSR2');
  await service.prints(/reloaded/);
  await stop(service);
  return service.printed();
}

test('a warning of Node is an event of the log, without its text', async () => {
  const text = await printedBy({ LOG_FORMAT: 'json' });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [line] = lines.filter(({ event }) => event === 'node_warning');
  assert.deepEqual([line.level, line.name, line.code], ['warn', 'TaggedWarning', 'TAG1']);
  assert.match(line.message, /^Node warns: TaggedWarning TAG1 at /);
  assert.ok(!text.includes('tag-5183'));
});

for (const changed of [{ NODE_NO_WARNINGS: '1' }, { NODE_OPTIONS: '--disable-warning=TAG1' }])
  test(`a warning that the operator turned off is not logged: ${Object.keys(changed)}`, async () => {
    assert.doesNotMatch(await printedBy(changed), /TAG1|TaggedWarning/);
  });
