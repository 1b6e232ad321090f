import type { Channel, ChannelKind } from '../api/types.ts'

/** One setting of a kind of channel. */
export type ChannelField = ChannelKind['settings'][number]

/** Values of a settings form: booleans for flags, text for all other types. */
export type Values = Record<string, string | boolean>

function isKept({ settings }: Channel, { name }: ChannelField): boolean {
  const mark = `has${name.charAt(0).toUpperCase()}${name.slice(1)}`
  return Object.hasOwn(settings, mark) && settings[mark] === true
}

/** Names of secrets that are stored but not shown. */
export function keptSecrets(fields: readonly ChannelField[], channel: Channel | null): Set<string> {
  if (channel === null) return new Set()
  return new Set(fields.filter((field) => isKept(channel, field)).map(({ name }) => name))
}

/** The values of a channel, or the defaults for a new one. */
export function valuesOf(fields: readonly ChannelField[], channel: Channel | null): Values {
  return Object.fromEntries(
    fields.map(({ name, type, usual }) => {
      const value = channel === null ? usual : channel.settings[name]
      if (type === 'flag') return [name, value === true]
      if (Array.isArray(value)) return [name, value.join('\n')]
      return [name, value === undefined || value === null ? '' : String(value)]
    }),
  )
}

/** A unique default name for a new channel. Empty for generic HTTP, which users name after its purpose. */
export function freeName({ kind, label }: Pick<ChannelKind, 'kind' | 'label'>, taken: readonly string[]): string {
  if (kind === 'http') return ''
  const names = new Set(taken)
  let name = label
  for (let n = 2; names.has(name); n++) name = `${label} ${n}`
  return name
}

/** Settings in the API's format. Empty fields are omitted, so that a stored secret stays. */
export function settingsOf(fields: readonly ChannelField[], values: Values): Record<string, unknown> {
  const given: [string, unknown][] = []
  for (const { name, type } of fields) {
    const value = values[name] ?? ''
    if (type === 'flag') given.push([name, value === true])
    else if (typeof value !== 'string' || value.trim() === '') continue
    // Send an invalid number as it is, so that the server reports the error for its field.
    else if (type === 'number') given.push([name, Number.isFinite(Number(value)) ? Number(value) : value])
    else if (type === 'lines') given.push([name, value.split('\n').filter((line) => line.trim() !== '')])
    else given.push([name, type === 'long' ? value : value.trim()])
  }
  return Object.fromEntries(given)
}
