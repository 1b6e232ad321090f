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

/** The file name decides: `.csv` with a header that spreadsheets and graph tools know, `.tsv`, `.jsonl`; else `otherwise`. */
export function lineFormatOf(file: string | null, otherwise: LineFormat = tabs): LineFormat {
  const name = file?.replace(/\.gz$/, '') ?? ''
  if (name.endsWith('.csv')) return commas
  if (name.endsWith('.tsv')) return tabs
  return /\.(?:jsonl|ndjson)$/.test(name) ? jsonLines : otherwise
}

/** Normalised URLs have no white space; if one does, it must not start a new field or line. */
function oneField(value: string | number): string {
  return String(value).replace(/[\t\r\n]/g, (character) => encodeURIComponent(character))
}

function quoted(value: string | number): string {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
