/**
 * Big5 with the rows that ETEN added and the Encoding standard has: numerals, kana, Cyrillic and parts of characters. Pages from Taiwan
 * use them, Japanese kana above all. The runtime decodes these rows to private characters, in order; here they become real ones.
 * The supplement of Hong Kong stays private: it would need a table of five thousand characters.
 */

const range = (first: string, length: number): string =>
  String.fromCharCode(...Array.from({ length }, (_, at) => first.charCodeAt(0) + at))

/** Rows of characters without gaps, each with the private character that stands for its first. */
const rows: readonly [first: number, characters: string][] = [
  [0xf6b1, range('①', 10) + range('⑴', 10) + range('ⅰ', 10)],
  [0xf6cf, '丶丿亅亠冂冖冫勹匸卩厶夊宀巛⼳广廴彐彡攴无疒癶辵隶¨ˆヽヾゝゞ〃仝々〆〇ー［］✽'],
  [0xf6f7, range('ぁ', 83) + range('ァ', 86)],
  [0xf7a0, `${range('А', 6)}Ё${range('Ж', 32)}ё${range('ж', 26)}`],
  [0xf7e2, '⇧↸↹㇏𠃌乚𠂊刂䒑龰冈龱𧘇'],
  [0xf817, '￢￤＇＂㈱№℡゛゜⺀⺄⺆⺇⺈⺊⺌⺍⺕⺜⺝⺥⺧⺪⺬⺮⺶⺼⺾⻆⻊⻌⻍⻏⻖⻗⻞⻣'],
  [0xf83f, 'ʃɐɛɔɵœøŋʊɪ'],
]

const characters = new Map(
  rows.flatMap(([first, row]) => Array.from(row, (character, at) => [String.fromCharCode(first + at), character])),
)

const decoder = new TextDecoder('big5', { ignoreBOM: true })

export function decodeBig5(bytes: Uint8Array): string {
  return decoder.decode(bytes).replace(/[\uf6b1-\uf848]/g, (code) => characters.get(code) ?? code)
}
