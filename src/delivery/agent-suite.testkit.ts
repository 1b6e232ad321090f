import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AgentTools, ChannelAgent, Settings } from './channel-agent.ts'
import { hostileText, itemOf, messageOf } from './render/message.testkit.ts'
import type { Message } from './render/message.ts'
import { readSettings, shownSettings } from './settings.ts'

/** A running server for the agent's kind, with the settings and tools to reach it. */
export type AgentWorld = {
  given: Record<string, unknown>
  tools: AgentTools
  /** What the server has received so far, one text per message: headers and body as received, decrypted if necessary. */
  received(): readonly string[]
  close(): Promise<void>
}

/** `ERACE_TEST_SHOW=received` prints what each server received. */
const isShown = process.env.ERACE_TEST_SHOW === 'received'

const unsubscribe = 'https://e.example/unsubscribe/x'
const digest = messageOf({
  kind: 'digest',
  items: [itemOf(), itemOf({ id: 8, thread: 'd4', profile: 'News', title: 'Bridge closed', urgency: 5 })],
  leftOut: 4,
})
const usual: readonly Message[] = [
  messageOf({ links: { ...messageOf().links, unsubscribe } }),
  digest,
  messageOf({ kind: 'test', items: [] }),
]

/** Tests that every agent must pass. */
export function testAgent(agent: ChannelAgent, open: () => Promise<AgentWorld>): void {
  describe(`${agent.kind} agent`, () => {
    let world: AgentWorld
    let settings: Settings
    before(async () => {
      world = await open()
      settings = settingsOf(agent, world.given)
    })
    after(() => world.close())

    test('provides all metadata for forms and documentation', () => {
      assert.match(agent.kind, /^[a-z]+$/)
      assert.match(agent.label, /^\S.*\S$/)
      assert.match(agent.about, /^[A-Z].*\.$/)
      assert.ok(agent.digest.maxItems >= 1 && agent.digest.maxItems <= 100)
      const names = agent.settings.map(({ name }) => name)
      assert.equal(new Set(names).size, names.length)
      for (const { name, label, type, choices, usual: value, isRequired, isHidden } of agent.settings) {
        assert.match(name, /^[a-z][A-Za-z0-9]*$/)
        assert.notEqual(label, '')
        assert.equal(type === 'choice', choices !== undefined, name)
        if (choices !== undefined && value !== undefined) assert.ok(choices.includes(String(value)), name)
        assert.ok(!(type === 'secret' && value !== undefined), 'a secret that all know is none')
        assert.ok(!(isHidden === true && isRequired === true), 'nobody could give it')
        assert.doesNotMatch(name, /token|secret|password/i.test(name) && type !== 'secret' ? /./ : /^$/, 'is a secret')
      }
    })

    test('never shows secrets, and keeps a secret that is left out of an update', () => {
      const shown = shownSettings(agent, settings)
      const open: Record<string, unknown> = {}
      for (const { name, type, isHidden } of agent.settings) {
        if (type !== 'secret' && isHidden !== true && Object.hasOwn(shown, name)) open[name] = shown[name]
        if (type !== 'secret') continue
        assert.ok(!Object.hasOwn(shown, name))
        if (typeof settings[name] === 'string') assert.ok(!JSON.stringify(shown).includes(settings[name]))
      }
      assert.deepEqual(readSettings(agent, open, settings), { settings, errors: [], made: {} })
    })

    test('rejects invalid settings', () => {
      for (const given of [null, 5, [], 'x', { ...world.given, unknown: 1 }, { ...world.given, __proto__x: '' }])
        assert.ok(readSettings(agent, given).errors.length > 0, JSON.stringify(given))
      for (const { name, isRequired, isHidden } of agent.settings) {
        if (isHidden === true) assert.ok(readSettings(agent, { ...world.given, [name]: 99 }).errors.length > 0, name)
        for (const value of [{}, ['\r\nx'], 'a\r\nb: c', 'x'.repeat(100_000), Number.NaN]) {
          const { errors } = readSettings(agent, { ...world.given, [name]: value })
          const isText =
            typeof value === 'string' && agent.settings.find((field) => field.name === name)?.type === 'long'
          assert.ok(
            errors.length > 0 || (isText && value.length <= 20_000),
            `${name}: ${JSON.stringify(value).slice(0, 40)}`,
          )
        }
        if (isRequired !== true) continue
        const { [name]: _, ...without } = world.given
        const field = agent.settings.find((each) => each.name === name)
        assert.equal(readSettings(agent, without).errors.length > 0, field?.usual === undefined, name)
      }
    })

    if (agent.isPull === true) {
      test('refuses to send', async () => {
        assert.equal((await agent.send(usual[0]!, settings, world.tools)).kind, 'never')
      })
      return
    }

    test("sends a single change, a digest and a test, and reports the server's answer", async () => {
      for (const message of usual) {
        const before = world.received().length
        const outcome = await agent.send(message, settings, world.tools)
        assert.equal(outcome.kind, 'delivered', JSON.stringify(outcome))
        assert.notEqual('answer' in outcome && outcome.answer, '')
        const received = world.received()
        assert.equal(received.length, before + 1)
        const text = received.at(-1)!
        if (isShown) process.stdout.write(`\n=== ${agent.kind}, ${message.kind}: ${JSON.stringify(outcome)}\n${text}\n`)
        const words = message.kind === 'test' ? [/test|arrive|appear/i] : [/Kettle/, /34\S?\.50/]
        for (const word of words) assert.match(text, word)
        if (message.kind === 'digest') assert.match(text, /Bridge closed/)
      }
    })

    test('sends the same content when a message is repeated', async () => {
      const [first] = usual
      for (let i = 0; i < 2; i++) await agent.send(first!, settings, world.tools)
      const [one, other] = world.received().slice(-2).map(withoutChance)
      assert.equal(one, other)
    })

    test('sends hostile text as one message, without an injected Bcc header', async () => {
      const item = itemOf({
        ...{ title: hostileText, profile: hostileText, summary: hostileText, parts: [], source: hostileText },
        ...{ url: 'javascript:alert(1)', thread: hostileText, text: hostileText, alsoAt: [hostileText] },
        changes: [{ kind: 'changed', path: hostileText, before: hostileText, after: hostileText }],
      })
      for (const kind of ['single', 'digest'] as const)
        for (const amount of ['summary', 'change', 'full'] as const) {
          const before = world.received().length
          const outcome = await agent.send(messageOf({ kind, amount, items: [item, item] }), settings, world.tools)
          assert.equal(outcome.kind, 'delivered', JSON.stringify(outcome))
          assert.equal(world.received().length, before + 1, 'one message, to one place')
          const text = world.received().at(-1)!
          const head = text.slice(0, text.indexOf('\n\n'))
          assert.doesNotMatch(head, /^bcc:/im)
        }
    })

    test('truncates endless titles, summaries and texts', async () => {
      const long = 'x'.repeat(10_000_000)
      const change = { kind: 'changed', path: long, before: long, after: long } as const
      const item = itemOf({ title: long, profile: long, summary: long, source: long, text: long, changes: [change] })
      for (const kind of ['single', 'digest'] as const) {
        const message = messageOf({ kind, amount: 'full', items: Array(20).fill(item) })
        assert.equal((await agent.send(message, settings, world.tools)).kind, 'delivered')
        const room = agent.digest.rest === 'next' ? 3_000_000 : 300_000
        assert.ok(world.received().at(-1)!.length <= room, `${world.received().at(-1)!.length} characters`)
      }
    })

    test('lists as many items as it declares for digests', async () => {
      const items = Array.from({ length: agent.digest.maxItems }, (_, i) => itemOf({ id: i + 1, title: `Page-${i}-` }))
      await agent.send(messageOf({ kind: 'digest', amount: 'summary', items }), settings, world.tools)
      const text = world.received().at(-1)!.replaceAll('\\', '')
      const missing = items.filter((_, i) => !text.includes(`Page-${i}-`))
      if (agent.kind !== 'http') assert.deepEqual(missing, [])
    })
  })
}

export function settingsOf(agent: ChannelAgent, values: Record<string, unknown>): Settings {
  const { settings, errors } = readSettings(agent, values)
  assert.deepEqual(errors, [])
  return settings
}

/** Removes what differs between two transmissions of one message: encryption, and MIME boundaries. */
function withoutChance(text: string): string {
  return text
    .replace(/--_?[\w.+/-]*boundary[^\r\n]*|boundary="[^"]*"|^-{2,}\S+$/gim, '')
    .replace(/^(?:authorization: vapid|content-length:|date:|user-agent:).*$/gim, '')
}
