import { messageHtml } from './html.ts'
import { messageJson } from './json.ts'
import { messageMarkdown } from './markdown.ts'
import type { Message } from './message.ts'
import { messageShort } from './short.ts'
import { messageText } from './text.ts'
import { messageWml } from './wml.ts'
import { messageXml } from './xml.ts'

export const formNames = ['text', 'html', 'markdown', 'wml', 'xml', 'json', 'short'] as const
export type FormName = (typeof formNames)[number]

/** All forms that a message can take. */
export const forms: Readonly<Record<FormName, { readonly mediaType: string; render(message: Message): string }>> = {
  text: { mediaType: 'text/plain; charset=utf-8', render: messageText },
  html: { mediaType: 'text/html; charset=utf-8', render: messageHtml },
  markdown: { mediaType: 'text/markdown; charset=utf-8', render: messageMarkdown },
  wml: { mediaType: 'text/vnd.wap.wml; charset=utf-8', render: messageWml },
  xml: { mediaType: 'application/xml; charset=utf-8', render: messageXml },
  json: { mediaType: 'application/json; charset=utf-8', render: (message) => JSON.stringify(messageJson(message)) },
  short: { mediaType: 'text/plain; charset=utf-8', render: messageShort },
}
