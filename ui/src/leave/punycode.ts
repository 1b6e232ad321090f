const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700

/** A host name with its `xn--` labels decoded (RFC 3492); null if it has none, or if one is malformed. */
export function unicodeHost(host: string): string | null {
  if (!/(?:^|\.)xn--/i.test(host)) return null
  const labels = host.split('.').map((label) => (/^xn--/i.test(label) ? decodeLabel(label.slice(4)) : label))
  return labels.includes(null) ? null : labels.join('.')
}

function decodeLabel(text: string): string | null {
  const dash = text.lastIndexOf('-')
  const letters = dash > 0 ? [...text.slice(0, dash)] : []
  let code = 128
  let bias = 72
  let place = 0
  for (let at = dash > 0 ? dash + 1 : 0; at < text.length; place++) {
    const before = place
    let weight = 1
    for (let k = BASE; ; k += BASE) {
      const digit = Number.parseInt(text[at++] ?? '', BASE)
      if (Number.isNaN(digit)) return null
      // Digits are a to z, then 0 to 9.
      const value = digit < 10 ? digit + 26 : digit - 10
      place += value * weight
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX)
      if (value < threshold) break
      weight *= BASE - threshold
    }
    const count = letters.length + 1
    bias = adapted(place - before, count, before === 0)
    code += Math.floor(place / count)
    place %= count
    if (!(code <= 0x10ffff)) return null
    letters.splice(place, 0, String.fromCodePoint(code))
  }
  return letters.join('')
}

function adapted(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2))
  rest += Math.floor(rest / count)
  let k = 0
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW))
}
