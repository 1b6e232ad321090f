import type { SettingField } from '../../delivery/channel-agent.ts'

/** A setting as it is typed on a command line. */
export type SettingText = { name: string; text: string }

/**
 * Texts as values of their fields, still to be checked: what is not a number stays text. A list has all that is given for it; of
 * everything else the last one counts, as for options.
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
