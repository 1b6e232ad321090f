/** One line of an export: its fields in order. */
export type LineRecord = Readonly<Record<string, string | number>>

export type LineFormat = { head(names: readonly string[]): string; line(record: LineRecord): string }

const tabs: LineFormat = {
  head: () => '',
  line: (record) => `${Object.values(record).map(oneField).join('\t')}\n`,
}

const commas: LineFormat = {
  head: (names) => `${names.join(',')}\n`,
  line: (record) => `${Object.values(record).map(quoted).join(',')}\n`,
}

export const jsonLines: LineFormat = { head: () => '', line: (record) => `${JSON.stringify(record)}\n` }

/** The file's name says how: `.csv` with a head that spreadsheets and graph tools know, `.jsonl`; `otherwise` for all other names. */
export function lineFormatOf(file: string | null, otherwise: LineFormat = tabs): LineFormat {
  const name = file?.replace(/\.gz$/, '') ?? ''
  if (name.endsWith('.csv')) return commas
  if (name.endsWith('.tsv')) return tabs
  return /\.(?:jsonl|ndjson)$/.test(name) ? jsonLines : otherwise
}

/** URLs hold no white space once they are normalised; should one, it must not make a field or a line. */
function oneField(value: string | number): string {
  return String(value).replace(/[\t\r\n]/g, (character) => encodeURIComponent(character))
}

function quoted(value: string | number): string {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
