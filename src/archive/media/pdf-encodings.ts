/**
 * The predefined encodings of East Asian fonts (ISO 32000-1, 9.7.5.2), which the library knows only by name: it asks for a table from
 * codes to the numbers of glyphs, and one from these to characters. Only the characters matter here, so each is its own number; they come
 * from the decoders of web pages.
 */
export function createEncodings(): new () => {
  fetch(wanted: { kind: string; filename: string }): Promise<Uint8Array>
} {
  let isEncoded = false

  return class {
    async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
      if (kind !== 'cMapUrl') throw new Error('fonts have no use here')
      // Numbers of glyphs that the file itself uses are not characters.
      if (/^Adobe-\w+-UCS2$/.test(filename) && isEncoded) return written(`beginbfrange ${allCodes} <0000> endbfrange`)
      const table = tableOf(filename)
      if (table === null) throw new Error('an unknown encoding')
      isEncoded = true
      return written(`${filename.endsWith('V') ? '/WMode 1 def ' : ''}${table}`)
    }
  }
}

const written = (table: string): Uint8Array => new TextEncoder().encode(`begincmap ${table} endcmap`)

const allCodes = '<0000> <FFFF>'
const twoBytes = `begincodespacerange ${allCodes} endcodespacerange begincidrange ${allCodes} 0 endcidrange`

const unicode = /^Uni(?:GB|CNS|JIS|KS)-(?:UCS2|UTF16)(?:-HW)?-[HV]$/

type Charset = { name: string; usedBy: RegExp; singles: string; leads: string; trails: string }

/** `singles`, `leads` and `trails`: first and last byte of each range, in hexadecimal. */
const charsets: readonly Charset[] = [
  { name: 'gbk', usedBy: /^GB(?:pc|K|Kp)?-EUC-[HV]$|^GBK2K-[HV]$/, singles: '0080', leads: '81fe', trails: '40fe' },
  { name: 'big5', usedBy: /^(?:B5pc|(?:ETen|ETenms|HKscs)-B5)-[HV]$/, singles: '0080', leads: '81fe', trails: '40fe' },
  {
    ...{ name: 'shift_jis', usedBy: /^(?:(?:83pv|90msp?|90pv|Add|Ext)-)?RKSJ-[HV]$/ },
    ...{ singles: '0080a0df', leads: '819fe0fc', trails: '40fc' },
  },
  { name: 'euc-jp', usedBy: /^EUC-[HV]$/, singles: '0080', leads: '8e8ea1fe', trails: 'a0fe' },
  {
    name: 'euc-kr',
    usedBy: /^KSC(?:ms|pc)?-(?:EUC|UHC(?:-HW)?)-[HV]$/,
    singles: '0080',
    leads: '81fe',
    trails: '41fe',
  },
]

const tables = new Map<string, string>()

function tableOf(encoding: string): string | null {
  if (unicode.test(encoding)) return twoBytes
  const charset = charsets.find(({ usedBy }) => usedBy.test(encoding))
  if (charset === undefined) return null
  const known = tables.get(charset.name) ?? tableOfCharset(charset)
  tables.set(charset.name, known)
  return known
}

function tableOfCharset({ name, singles, leads, trails }: Charset): string {
  const decoder = new TextDecoder(name)
  const spaces: string[] = []
  const ranges: string[] = []

  /** Codes that differ in their last byte. */
  function addRow(lead: readonly number[], from: number, to: number): void {
    const code = (last: number): string => `<${Buffer.of(...lead, last).toString('hex')}>`
    for (let start = from; start <= to; ) {
      const first = characterOf(decoder.decode(Buffer.of(...lead, start)))
      let end = start + 1
      while (end <= to && characterOf(decoder.decode(Buffer.of(...lead, end))) === first + end - start) end++
      if (!Number.isNaN(first)) ranges.push(`${code(start)} ${code(end - 1)} ${first}`)
      start = end
    }
  }

  for (const [from, to] of pairs(singles)) {
    spaces.push(`<${hex(from)}> <${hex(to)}>`)
    addRow([], from, to)
  }
  for (const [from, to] of pairs(leads))
    for (const [first, last] of pairs(trails)) {
      spaces.push(`<${hex(from)}${hex(first)}> <${hex(to)}${hex(last)}>`)
      for (let lead = from; lead <= to; lead++) addRow([lead], first, last)
    }
  return `begincodespacerange ${spaces.join(' ')} endcodespacerange begincidrange ${ranges.join(' ')} endcidrange`
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

function pairs(ranges: string): [number, number][] {
  const bytes = Buffer.from(ranges, 'hex')
  return Array.from({ length: bytes.length / 2 }, (_, at) => [bytes[2 * at]!, bytes[2 * at + 1]!])
}

/** NaN for a code without a character, or with one that doesn't fit into two bytes. */
const characterOf = (text: string): number => (text.length === 1 && text !== '\ufffd' ? text.charCodeAt(0) : Number.NaN)
