/** Schema of a parsed User-Agent. */
import * as z from 'zod';
import { defineField, textField } from '../core/field.ts';
import { deviceTypes, kinds } from './kinds.ts';

export const UserAgent = z
  .object({
    raw: defineField(z.string(), {
      label: 'User-Agent header',
      description: 'User-Agent header as sent; empty if the client sent none',
    }),
    browser: z.object({
      name: textField('Browser', 'Browser name'),
      version: textField('Browser version', 'Full browser version'),
      major: textField('Browser major version', 'First number of the browser version'),
    }),
    engine: z.object({
      name: textField('Engine', 'Rendering engine, such as Blink or Gecko'),
      version: textField('Engine version', 'Version of the rendering engine'),
    }),
    os: z.object({
      name: textField('OS', 'Operating system'),
      version: textField('OS version', 'Version of the operating system'),
    }),
    device: z.object({
      type: defineField(z.enum(deviceTypes), {
        label: 'Device type',
        description: 'Kind of device; unknown if the User-Agent names none',
      }),
      vendor: textField('Device vendor', 'Manufacturer of the device'),
      model: textField('Device model', 'Model of the device, as the User-Agent or a Client Hint states it'),
      name: textField('Device name', 'Marketing name of the model; null if unknown'),
    }),
    cpu: z.object({ architecture: textField('CPU architecture', 'Processor architecture, such as amd64 or arm64') }),
    kind: defineField(z.enum(kinds), {
      label: 'Client kind',
      description: 'Kind of client: browser, bot, tool or library',
    }),
    bot: defineField(
      z
        .object({
          name: defineField(z.string(), { label: 'Bot name', description: 'Name of the bot, tool or library' }),
          kind: defineField(z.enum(kinds).exclude(['browser', 'unknown']), {
            label: 'Bot kind',
            description: 'Kind of bot, tool or library; the same as the client kind',
          }),
          operator: textField('Bot operator', 'Organization that operates the bot; null if unknown'),
        })
        .nullable(),
      { label: 'Bot', description: 'Bot, tool or library; null for browsers and unknown clients' },
    ),
  })
  .meta({ id: 'UserAgent', description: 'Client identified from its User-Agent and Client Hints' });
export type UserAgent = z.infer<typeof UserAgent>;
