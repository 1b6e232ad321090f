import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { fitted } from './render/fitting.ts'
import { cutTo, oneLine } from './render/lines.ts'
import { itemMarkdown } from './render/markdown.ts'
import { kindOf, type Message, nameOf, onlyItem, subjectOf } from './render/message.ts'
import { textOf, urlFault } from './settings.ts'

const MAX_EMBEDS = 10
/** Maximum length of the texts of all embeds together. */
const MAX_TEXT = 6000
const colours = { new: 0x2e7d32, changed: 0x1a56c4, gone: 0xb3261e, back: 0x6a4ea3 } as const

export const discord: ChannelAgent = {
  kind: 'discord',
  label: 'Discord',
  about: 'Posts to a Discord channel through a webhook.',
  digest: { maxItems: MAX_EMBEDS, rest: 'count' },
  settings: [{ name: 'url', label: 'Webhook address', type: 'secret', isRequired: true }],
  check: (settings) => urlFault(textOf(settings, 'url')),
  send(message, settings, tools) {
    const shown = fitted(message, (smaller) => lengthOf(embedsOf(smaller)) <= MAX_TEXT)
    const { items, leftOut } = shown
    const rest = leftOut === 0 ? '' : ` (${items.length} here, ${leftOut} more in your inbox)`
    const content = onlyItem(shown) === null ? subjectOf(shown) + rest : ''
    const embeds = embedsOf(shown)
    // Text from a page must not mention anyone.
    const body = { content: oneLine(content, 300), embeds, allowed_mentions: { parse: [] } }
    return postJson(tools, { url: textOf(settings, 'url'), body })
  },
}

type Embed = {
  title: string
  description: string
  footer: { text: string }
  url?: string
  timestamp: string
  color: number
}

function embedsOf({ items, amount }: Message): Embed[] {
  return items.slice(0, MAX_EMBEDS).map((item) => ({
    title: cutTo(nameOf(item), 256),
    ...(/^https?:\/\//i.test(item.url) && URL.canParse(item.url) && item.url.length <= 2000 && { url: item.url }),
    description: cutTo(itemMarkdown(item, { amount, head: 'none' }), 4096),
    footer: { text: oneLine([kindOf(item), item.source, item.profile].filter((each) => each !== '').join(' · '), 300) },
    timestamp: new Date(item.at).toISOString(),
    color: colours[item.kind],
  }))
}

function lengthOf(embeds: readonly Embed[]): number {
  return embeds.reduce(
    (sum, { title, description, footer }) => sum + title.length + description.length + footer.text.length,
    0,
  )
}
