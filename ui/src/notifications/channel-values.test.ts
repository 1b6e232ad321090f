import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Channel } from '../api/types.ts'
import { type ChannelField, freeName, keptSecrets, settingsOf, valuesOf } from './channel-values.ts'

const fields: ChannelField[] = [
  { name: 'url', label: 'Address', type: 'url', isRequired: true },
  { name: 'secret', label: 'Secret', type: 'secret' },
  { name: 'token', label: 'Token', type: 'secret' },
  { name: 'port', label: 'Port', type: 'number', usual: 25 },
  { name: 'headers', label: 'Headers', type: 'lines' },
  { name: 'quietly', label: 'Quietly', type: 'flag' },
  { name: 'body', label: 'Body', type: 'long' },
]

const channel: Channel = {
  id: 'c_1',
  kind: 'webhook',
  name: 'ops',
  state: 'active',
  reason: '',
  failures: 0,
  retryAt: null,
  sentAt: null,
  createdAt: '2026-11-15T12:00:00.000Z',
  settings: { url: 'https://example.org/', hasSecret: true, port: 26, headers: ['a: b', 'c: d'], quietly: true },
  waiting: 0,
  nextAt: null,
  profiles: [],
}

describe('the channel form', () => {
  test('a new channel starts with the default values', () => {
    const values = valuesOf(fields, null)
    assert.equal(values.port, '25')
    assert.equal(values.url, '')
    assert.equal(values.quietly, false)
  })

  test('settings are sent back unchanged, and secrets only if entered', () => {
    const values = valuesOf(fields, channel)
    const sent = { url: 'https://example.org/', port: 26, headers: ['a: b', 'c: d'], quietly: true }
    assert.deepEqual(settingsOf(fields, values), sent)
    assert.deepEqual(settingsOf(fields, { ...values, secret: ' new ' }), { ...sent, secret: 'new' })
    assert.deepEqual([...keptSecrets(fields, channel)], ['secret'])
  })

  test('a new channel gets a unique name, and one of the generic HTTP kind gets none', () => {
    const email = { kind: 'email', label: 'Email' }
    assert.equal(freeName(email, ['Webhook']), 'Email')
    assert.equal(freeName(email, ['Email', 'Email 2']), 'Email 3')
    assert.equal(freeName({ kind: 'http', label: 'SMS or any other service' }, []), '')
  })

  test('empty lines are dropped, long text keeps its spaces, and invalid numbers are left to the server', () => {
    const values = { ...valuesOf(fields, null), headers: '\na: b\n\n', body: ' {x}\n', port: 'many' }
    assert.deepEqual(settingsOf(fields, values), { port: 'many', headers: ['a: b'], quietly: false, body: ' {x}\n' })
  })
})
