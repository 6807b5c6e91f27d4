/** A thread counts as hung after ten intervals without a response, which a suspended machine does not have. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { watchProgram } from '../../../src/runtime/program/watch.ts';

/** Watches a thread that responds only while `responds` is true; time is simulated. */
async function watch(context: TestContext) {
  const { mock } = context;
  mock.timers.enable({ apis: ['setInterval'] });
  const thread = { responds: true, hung: 0 };
  const ping = () => (thread.responds ? Promise.resolve() : new Promise<never>(() => {}));
  const listening = Promise.resolve({ http: null, https: null });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  context.after(() => {
    end();
    return ended;
  });
  watchProgram({ listening, ended, ping }, 10_000, () => {
    thread.hung += 1;
  });
  await listening;
  const pass = async (seconds: number): Promise<void> => {
    for (let each = 0; each < seconds; each += 1) {
      mock.timers.tick(1000);
      await new Promise(setImmediate);
    }
  };
  return { thread, pass };
}

test('a thread that responds at least once in 10 seconds is not hung', async (context) => {
  const { thread, pass } = await watch(context);
  await pass(60);
  thread.responds = false;
  await pass(8);
  thread.responds = true;
  await pass(1);
  thread.responds = false;
  await pass(8);
  assert.equal(thread.hung, 0);
});

test('a thread without a response for 10 seconds is hung, once', async (context) => {
  const { thread, pass } = await watch(context);
  thread.responds = false;
  await pass(9);
  assert.equal(thread.hung, 0);
  await pass(20);
  assert.equal(thread.hung, 1);
});
