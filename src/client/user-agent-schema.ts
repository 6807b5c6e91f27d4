/** Schema of a parsed User-Agent. */
import * as z from 'zod';
import { fieldOf, textField } from '../core/field.ts';
import { deviceTypes, kinds } from './kinds.ts';

export const UserAgent = z
  .object({
    raw: fieldOf(z.string())('User-Agent header', 'User-Agent header as sent; empty if the client sent none'),
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
      type: fieldOf(z.enum(deviceTypes))('Device type', 'Kind of device; unknown if the User-Agent names none'),
      vendor: textField('Device vendor', 'Manufacturer of the device'),
      model: textField('Device model', 'Model of the device, as the User-Agent or a Client Hint states it'),
      name: textField('Device name', 'Marketing name of the model; null if unknown'),
    }),
    cpu: z.object({ architecture: textField('CPU architecture', 'Processor architecture, such as amd64 or arm64') }),
    kind: fieldOf(z.enum(kinds))('Client kind', 'Kind of client: browser, bot, tool or library'),
    bot: fieldOf(
      z
        .object({
          name: fieldOf(z.string())('Bot name', 'Name of the bot, tool or library'),
          kind: fieldOf(z.enum(kinds).exclude(['browser', 'unknown']))(
            'Bot kind',
            'Kind of bot, tool or library; the same as the client kind',
          ),
          operator: textField('Bot operator', 'Organization that operates the bot; null if unknown'),
        })
        .nullable(),
    )('Bot', 'Bot, tool or library; null for browsers and unknown clients'),
  })
  .meta({ id: 'UserAgent', description: 'Client identified from its User-Agent and Client Hints' });
export type UserAgent = z.infer<typeof UserAgent>;
