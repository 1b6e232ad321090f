/** Why a link was not fetched, or a response not read. The names are promised in the result of `erace crawl --json`. */
export const skipReasons = ['robots', 'scope', 'blocked', 'type', 'length', 'trap', 'address', 'limit'] as const
export type SkipReason = (typeof skipReasons)[number]
