import type { SettingField } from '../../delivery/channel-agent.ts'

/** A setting as typed on the command line. */
export type SettingText = { name: string; text: string }

/**
 * Converts texts to the types of their fields, without validation: what is not a number stays text. Repeated values of a list are
 * combined; otherwise the last one wins, as for options.
 */
export function settingsOfTexts(
  fields: readonly Pick<SettingField, 'name' | 'type'>[],
  given: readonly SettingText[],
): Record<string, unknown> {
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const texts = Map.groupBy(given, ({ name }) => name)
  return Object.fromEntries(
    [...texts].map(([name, all]) => [
      name,
      types.get(name) === 'lines'
        ? all.flatMap(({ text }) => text.split('\n'))
        : valueOfText(types.get(name), all.at(-1)!.text),
    ]),
  )
}

function valueOfText(type: SettingField['type'] | undefined, text: string): unknown {
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (type === 'flag' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
