import type { AddedChannel, ChannelKind } from '../../services/channels/channel-service.ts'
import type { OwnedChannel } from '../../services/channels/operator-channels.ts'
import type { TestResult } from '../../services/channels/sending.ts'
import { formatCount, momentText, printable } from '../output/terminal-text.ts'

const timeOf = (ms: number): string => new Date(ms).toISOString()
/** 0 means never. */
const maybeTimeOf = (ms: number): string | null => (ms === 0 ? null : timeOf(ms))

/** As in the API, plus the owner. */
export function channelAnswer(channel: OwnedChannel) {
  const { id, owner, kind, name, state, reason, failures, retryAt, sentAt, createdAt } = channel
  const { settings, waiting, nextAt, profiles } = channel
  return {
    ...{ id, owner, kind, name, state, reason, failures },
    ...{ retryAt: maybeTimeOf(retryAt), sentAt: maybeTimeOf(sentAt), createdAt: timeOf(createdAt) },
    ...{ settings, waiting, nextAt: maybeTimeOf(nextAt), profiles },
  }
}

export function shown({ id, kind, name, owner }: Pick<OwnedChannel, 'id' | 'kind' | 'name' | 'owner'>): string {
  return `${id} (${kind}, ${printable(name, 100)}) of ${printable(owner, 254)}`
}

/** Includes the secret and URLs that are shown only once. */
export function addedLines({ channel, owner, secret }: AddedChannel & { owner: string }): string[] {
  const lines = [`added ${shown({ ...channel, owner })}`]
  if (secret !== null) lines.push(`secret, shown only now: ${secret}`)
  if (channel.feedUrls !== undefined) {
    const { atom, rss, json } = channel.feedUrls
    const where = atom.startsWith('/') ? ', on your server' : ''
    lines.push(
      `addresses for feed readers${where}; anyone who has one can read it:`,
      `  ${atom}`,
      `  ${rss}`,
      `  ${json}`,
    )
  }
  return lines
}

/** One line per channel, with waiting messages and failures at its end. */
export function listLines(channels: readonly OwnedChannel[]): string[] {
  const rows = channels.map((channel) => [
    channel.id,
    channel.kind,
    printable(channel.name, 40),
    printable(channel.owner, 60),
    channel.state,
    remarks(channel),
  ])
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)))
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

function remarks({ state, reason, retryAt, waiting, sentAt }: OwnedChannel): string {
  const parts: string[] = []
  if (reason !== '') parts.push(printable(reason, 200))
  if (state === 'failing' && retryAt > 0) parts.push(`next attempt ${momentText(timeOf(retryAt))}`)
  if (waiting > 0) parts.push(`${formatCount(waiting)} waiting`)
  if (reason === '' && sentAt > 0) parts.push(`last message ${momentText(timeOf(sentAt))}`)
  return parts.join('; ')
}

const outcomeTexts: Record<TestResult['outcome'], string> = {
  delivered: 'delivered',
  later: 'not delivered, but a later attempt may succeed',
  never: 'not delivered',
}

export function testLine({ outcome, answer }: TestResult): string {
  const text = printable(answer, 1000)
  return text === '' ? outcomeTexts[outcome] : `${outcomeTexts[outcome]}: ${text}`
}

/** Lists the kinds, or the settings of one. */
export function kindsHelp(kinds: readonly ChannelKind[], kind: string | undefined): string | undefined {
  const found = kinds.find((each) => each.kind === kind)
  if (found !== undefined) return settingsHelp(found)
  if (kinds.length === 0) return undefined
  const width = Math.max(...kinds.map((each) => each.kind.length))
  const lines = kinds.map(({ kind, isByBrowser, settings }) => {
    const names = settings.map(({ name, isRequired }) => (isRequired === true ? `${name}*` : name)).join(', ')
    return `  ${kind.padEnd(width)}  ${isByBrowser ? 'added in the pages, by the browser itself' : names}`
  })
  return ['Kinds and their settings (*: required; --kind KIND --help says more):', ...lines].join('\n')
}

function settingsHelp({ kind, about, settings }: ChannelKind): string {
  const heads = settings.map(({ name, isRequired }) => (isRequired === true ? `${name}*` : name))
  const width = Math.max(...heads.map((head) => head.length))
  const lines = settings.map((setting, i) => `  ${heads[i]!.padEnd(width)}  ${settingText(setting)}`)
  return [`${about}\n\nSettings of ${kind} (*: required):`, ...lines].join('\n')
}

function settingText({ label, hint, type, choices, usual }: ChannelKind['settings'][number]): string {
  const notes: string[] = []
  if (choices !== undefined) notes.push(choices.join(', '))
  if (usual !== undefined) notes.push(`default: ${usual}`)
  if (type === 'secret') notes.push('secret')
  if (type === 'lines') notes.push('repeatable')
  return `${label}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}${hint === undefined ? '' : `. ${hint}`}`
}
