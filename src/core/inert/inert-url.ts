/** Longer addresses are not linked. */
const MAX_ADDRESS = 8192

/** Our page that shows where a link leads; the address is after `#`, which browsers don't send to any server. */
const LEAVE = '/leave#'

/** The address of our leave page for a link; null unless its target opens as a page in a browser, or in a mail program. */
export function leavingHref(href: string, base: string): string | null {
  if (href.length > MAX_ADDRESS) return null
  const url = URL.parse(href, base)
  if (url === null || url.href.length > MAX_ADDRESS || !/^(?:https?|mailto):$/.test(url.protocol)) return null
  return LEAVE + encodeURIComponent(url.href.toWellFormed())
}

const rasterOrFont =
  /^data:(?:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|(?:application\/(?:x-)?font-|font\/)[\w.+-]{1,40})(?:;[\w=-]{1,40}){0,3},/i
const drawing = /^data:image\/svg\+xml((?:;[\w=-]{1,40}){0,3}),/i

/** An inline picture or font, unchanged; null for any other address. */
export function inertDataUrl(address: string): string | null {
  const text = address.trim()
  if (rasterOrFont.test(text)) return text
  const found = drawing.exec(text)
  if (found === null) return null
  const isBase64 = /;base64$/i.test(found[1]!)
  return isInertDrawing(payload(text.slice(found[0].length), isBase64)) ? text : null
}

function payload(data: string, isBase64: boolean): string {
  if (!isBase64) return percentDecoded(data)
  return Buffer.from(percentDecoded(data), 'base64').toString('utf8')
}

function percentDecoded(data: string): string {
  return data.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
}

/**
 * Browsers don't let a drawing used as a picture load anything, but one opened by itself may. So only plain shapes are kept: nothing that
 * refers to anything outside, runs, or is spelled in a way that can't be checked.
 */
function isInertDrawing(source: string): boolean {
  const refers = /[&\\\0\ufffd]|<[!?]|href|src|url|import|script|style|foreign|image|\bon\w+\s*=/i
  return !refers.test(source.replace(/url\(\s*['"]?#[\w-]+['"]?\s*\)/gi, ''))
}
