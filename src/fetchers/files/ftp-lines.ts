/** An entry of a listing. Names have one character per byte. */
export type Entry = {
  name: string
  /** `unsure`: a link, or something else that may be a file. */
  kind: 'file' | 'folder' | 'unsure'
  /** NaN if it isn't known. */
  size: number
  /** As the server says it; '' if it doesn't. */
  time: string
}

/** Longer lines have no valid name. */
const maxLine = 10_000

/**
 * The entries of a listing; null if its format is not known. `LIST` has no standard: each line may be in any of the formats below, and
 * others, such as sums and remarks, are skipped. Of `MLSD` the format is known (RFC 3659).
 */
export function entriesIn(text: string, isMlsd: boolean): Entry[] | null {
  const lines = text.split(/\r?\n/).filter((line) => (isMlsd ? line !== '' : line.trim() !== ''))
  const parse = isMlsd ? factsLine : anyLine
  let found = lines.map((line) => (line.length > maxLine ? null : parse(line)))
  // Lines of MLSD without facts, which nobody asked for.
  if (!isMlsd && found.every((entry) => entry === null)) found = lines.map(bareLine)
  if (found.every((entry) => entry === null) && !lines.every((line) => sum.test(line))) return null
  return found.filter(
    (entry) => entry !== null && entry.name !== '.' && entry.name !== '..' && entry !== own,
  ) as Entry[]
}

/** `total 112`, in any language. */
const sum = /^(?:total\b|[^ \t]{1,30} \d{1,19}$)/i

/** The folder itself, or its parent. */
const own: Entry = { name: '', kind: 'folder', size: 0, time: '' }

const anyLine = (line: string): Entry | null =>
  dosLine(line) ??
  unixLine(line) ??
  os400Line(line) ??
  eplfLine(line) ??
  (/^[^\s=]{1,100}=\S*;/.test(line) ? factsLine(line) : null)

/** Not in columns, which would be an unknown format. */
const bareLine = (line: string): Entry | null =>
  /^ [^ \t]/.test(line) && !/ {2}|\t/.test(line) ? factsLine(line) : null

const gap = '[ \\t]{1,80}'
const clock = '\\d{1,2}:\\d\\d'
/** The name of a month, in any language and encoding. */
const month = '[^ \\t\\d][^ \\t]{1,14}'
/** Of numbers in East Asian dates. */
const unit = '[^ \\t\\d:]{0,6}'
const year = `\\d{4}${unit}`

const unixTimes = [
  // `Jan  2 15:04`, `Jan  2  2020`, `2. Jan 15:04`, `1月 2日 15:04`, and with seconds `Jan  2 15:04:05 2020`
  `(?:${month}${gap}\\d{1,2}|\\d{1,2}\\.?${gap}${month}|\\d{1,2}${unit}${gap}\\d{1,2}${unit})` +
    `${gap}(?:${clock}(?::\\d\\d(?:${gap}\\d{4}(?=[ \\t]))?)?|${year})`,
  // `2020-01-02 15:04`, `01-02 15:04`, `2020-01-02 15:04:05.000000000 +0100`
  `\\d{1,4}[-/.]\\d{1,2}(?:[-/.]\\d{1,4})?` +
    `${gap}(?:${clock}(?::\\d\\d(?:\\.\\d{1,9})?(?:${gap}[-+]\\d{4}(?=[ \\t]))?)?|\\d{4})`,
  `${month}${gap}\\d{1,2},${gap}\\d{4}${gap}${clock}`,
  `${year}${gap}\\d{1,2}[^ \\t\\d:]{1,6}${gap}\\d{1,2}${unit}`,
]

/**
 * The format of `ls -l`, and those of NetWare (with rights in brackets) and of NetPresenz (`folder` instead of a number of links). Owners
 * and groups may be missing or contain spaces. All repetitions are bounded, so that the effort for a line is, too.
 */
const unix = new RegExp(
  '^[ \\t\\d]{0,40}([bcdDeflmnpsSw-])' +
    '(?:(?:[-r][-w][-xsStTlL]){2}[-r][-w][-xsStTlL]?[+.@]?|[ \\t]?\\[[-A-Z]{1,16}\\])' +
    '(?:[ \\t]{0,80}\\d{1,12}|[ \\t]{1,80}[^ \\t\\d][^ \\t]{0,200})(?=[ \\t])' +
    `.{0,200}?[ \\t](\\d{1,19}(?:,[ \\t]{0,80}\\d{1,19})?|\\d{1,9}(?:\\.\\d{1,3})?[kKMG])` +
    `${gap}(${unixTimes.join('|')})[ \\t](.*)$`,
)

function unixLine(line: string): Entry | null {
  const [, type = '', size = '', time = '', rest = ''] = unix.exec(line) ?? []
  if (type === '') return null
  const kind = type === 'd' ? 'folder' : '-fbc'.includes(type) ? 'file' : 'unsure'
  const link = 'le'.includes(type) ? rest.indexOf(' -> ') : -1
  return {
    name: link !== -1 ? rest.slice(0, link) : /^.[ \t]?\[/.test(line) ? rest.replace(/^[ \t]+/, '') : rest,
    kind,
    size: /\D$/.test(size) ? Number.NaN : Number.parseInt(size, 10),
    time: time.replace(/[ \t]+([^ \t]+)$/, ' $1'),
  }
}

/** `12-05-96  05:03PM       <DIR>          name` */
const dos = new RegExp(
  `^[ \\t]{0,80}(\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4})${gap}(${clock}[^ \\t]{0,12}(?: [AaPp][Mm])?)${gap}` +
    `(?:<([A-Z]{1,12})>|(\\d[\\d,.]{0,24}))${gap}([^ \\t].*)$`,
)

function dosLine(line: string): Entry | null {
  const [, date = '', time = '', type, size = '0', name = ''] = dos.exec(line) ?? []
  if (name === '') return null
  return {
    name,
    kind: type === undefined ? 'file' : type === 'DIR' ? 'folder' : 'unsure',
    size: Number(size.replace(/\D/g, '')),
    time: `${date} ${time}`,
  }
}

/** `OWNER  4019 24/03/18 18:58:16 *STMF      name` */
const os400 = new RegExp(
  `^[^ \\t]{1,20}${gap}(\\d{1,19})${gap}(\\d\\d[-/.]\\d\\d[-/.]\\d\\d)${gap}([0-2]\\d:\\d\\d:\\d\\d)${gap}` +
    `\\*([A-Z]{2,10})${gap}([^ \\t].*?)/?$`,
)
const os400Folders: ReadonlySet<string> = new Set(['DIR', 'DDIR', 'LIB', 'FLR'])

function os400Line(line: string): Entry | null {
  const [, size = '', date = '', time = '', type = '', name = ''] = os400.exec(line) ?? []
  if (name === '') return null
  const kind = os400Folders.has(type) ? 'folder' : type === 'STMF' ? 'file' : 'unsure'
  return { name, kind, size: Number(size), time: `${date} ${time}` }
}

/** `+i8388621.48594,m825718503,r,s280,	name`: easily parsed, as its name says. */
function eplfLine(line: string): Entry | null {
  const tab = line.indexOf('\t')
  if (line[0] !== '+' || tab === -1 || tab === line.length - 1) return null
  const facts = line.slice(1, tab).split(',')
  const after = (letter: string): string => facts.find((fact) => fact.startsWith(letter))?.slice(1) ?? ''
  const [size, time] = [after('s'), after('m')]
  return {
    name: line.slice(tab + 1),
    kind: facts.includes('/') ? 'folder' : facts.includes('r') ? 'file' : 'unsure',
    size: /^\d{1,15}$/.test(size) ? Number(size) : Number.NaN,
    time: /^\d{1,11}$/.test(time) ? new Date(Number(time) * 1000).toISOString() : '',
  }
}

/** `type=file;size=11;modify=20181025120459; name` */
function factsLine(line: string): Entry | null {
  const space = line.indexOf(' ')
  const name = line.slice(space + 1)
  if (space === -1 || name === '' || (space > 0 && line[space - 1] !== ';')) return null
  const facts = new Map<string, string>()
  for (const fact of line.slice(0, space).split(';')) {
    const at = fact.indexOf('=')
    if (at > 0) facts.set(fact.slice(0, at).toLowerCase(), fact.slice(at + 1))
  }
  const type = facts.get('type')?.toLowerCase()
  // Targets of links outside of the folder are listed with their paths.
  if (type === 'cdir' || type === 'pdir' || name.startsWith('/')) return own
  return {
    name,
    kind: type === 'file' ? 'file' : type === 'dir' ? 'folder' : 'unsure',
    size: Number.parseInt(facts.get('size') ?? facts.get('sizd') ?? '0', 10),
    time: timeOf(facts.get('modify') ?? ''),
  }
}

/** A time of `MLSD` or `MDTM`; '' if it isn't valid. */
export function timeOf(text: string): string {
  const [, year, month, day, hours, minutes, seconds, parts = ''] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,3})\d*)?$/.exec(text) ?? []
  return year === undefined ? '' : `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${parts.padEnd(3, '0')}Z`
}
