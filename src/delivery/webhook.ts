import { createHmac, randomBytes } from 'node:crypto'
import type { ChannelAgent } from './channel-agent.ts'
import { exchange } from './http-outcome.ts'
import { forms } from './render/forms.ts'
import { textOf } from './settings.ts'

/** Signature of Standard Webhooks: `v1,` and the HMAC of id, time and body, keyed with the secret. In base64, it begins with `whsec_`. */
export function webhookSignature(secret: string, id: string, timestamp: number, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

export const webhook: ChannelAgent = {
  kind: 'webhook',
  label: 'Webhook',
  about: 'Posts JSON or XML (ACI) to an address of yours, signed as Standard Webhooks says.',
  digest: { maxItems: 100, rest: 'next' },
  settings: [
    { name: 'url', label: 'Address', type: 'url', isRequired: true },
    { name: 'format', label: 'Format', type: 'choice', choices: ['json', 'xml'], usual: 'json' },
    {
      name: 'secret',
      label: 'Secret',
      hint: 'Signs each message, so that you can check where it comes from. Leave it empty to have one made.',
      type: 'secret',
      fresh: () => `whsec_${randomBytes(24).toString('base64')}`,
    },
  ],
  async send(message, settings, tools) {
    const { mediaType, render } = forms[textOf(settings, 'format') === 'xml' ? 'xml' : 'json']
    const body = render(message)
    const timestamp = Math.floor(tools.clock.now() / 1000)
    const secret = textOf(settings, 'secret')
    if (secret === '') return { kind: 'never', reason: 'this channel has no secret to sign with; save it again' }
    const headers = {
      'content-type': mediaType,
      'webhook-id': message.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': webhookSignature(secret, message.id, timestamp, body),
    }
    return exchange(tools, { url: textOf(settings, 'url'), method: 'POST', headers, body })
  },
}
