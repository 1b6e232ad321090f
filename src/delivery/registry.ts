import type { ChannelAgent } from './channel-agent.ts'
import { discord } from './discord.ts'
import { exec } from './exec.ts'
import { feed } from './feed.ts'
import { gotify } from './gotify.ts'
import { httpTemplate } from './http-template.ts'
import { mail } from './mail.ts'
import { matrix } from './matrix.ts'
import { ntfy } from './ntfy.ts'
import { bounded } from './render/fitting.ts'
import { slack } from './slack.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { webPush } from './web-push.ts'
import { webhook } from './webhook.ts'

/** All kinds of channels, in display order. The inbox isn't one: it reads annotations itself. */
export const agents: readonly ChannelAgent[] = [
  ...[mail, webPush, feed, webhook],
  ...[ntfy, slack, discord, matrix, telegram, gotify, teams],
  ...[httpTemplate, exec],
].map((agent) => ({
  ...agent,
  send: (message, settings, tools) => agent.send(bounded(message), settings, tools),
}))

export const agentsByKind: ReadonlyMap<string, ChannelAgent> = new Map(agents.map((agent) => [agent.kind, agent]))
