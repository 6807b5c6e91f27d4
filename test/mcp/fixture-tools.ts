/** Tools that the MCP conformance suite calls by name: one for each kind of content and of failure. */
import { ServiceError } from '../../src/core/errors.ts';
import type { ServedTool } from '../../src/mcp/protocol.ts';

type Result = Awaited<ReturnType<ServedTool['run']>>;
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

export const fixtureTools: readonly ServedTool[] = [
  ...Object.entries(contents).map(([name, content]) => fixture(name, async () => ({ content }))),
  fixture('test_error_handling', async () => {
    throw new ServiceError('not_found', 'There is nothing to be found.');
  }),
];

function fixture(name: string, run: ServedTool['run']): ServedTool {
  return { definition: { name, description: 'A fixture.', inputSchema: { type: 'object' } }, rates: [], run };
}
