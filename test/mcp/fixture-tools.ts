/** Tools that the MCP conformance suite calls by name: one for each kind of content and of failure. */

import * as z from 'zod';
import { ServiceError } from '../../src/core/errors.ts';
import type { Tool } from '../../src/mcp/tool.ts';

type Result = Awaited<ReturnType<Tool['run']>>;
type Content = Result['content'][number];

const text: Content = { type: 'text', text: 'Some text.' };
const image: Content = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const audio: Content = { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' };
const resource: Content = {
  type: 'resource',
  resource: { uri: 'test://resource', mimeType: 'text/plain', text: 'A resource.' },
};

const contents: Readonly<Record<string, Content[]>> = {
  test_simple_text: [text],
  test_image_content: [image],
  test_audio_content: [audio],
  test_embedded_resource: [resource],
  test_multiple_content_types: [text, image, resource],
};

export const fixtureTools: readonly Tool[] = [
  ...Object.entries(contents).map(([name, content]) => fixture(name, async () => ({ content, structuredContent: {} }))),
  fixture('test_error_handling', async () => {
    throw new ServiceError('not_found', 'There is nothing to be found.');
  }),
];

export function fixture(name: string, run: Tool['run']): Tool {
  const schemas = { inputSchema: z.object({}), outputSchema: z.object({}) };
  return { name, title: name, description: 'A fixture.', isLookup: false, ...schemas, run };
}
