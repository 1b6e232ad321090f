/** The names that feeds use: of elements, their fields, relations and periods. */

/** Elements of these namespaces are used without a prefix. */
export const feedNamespace =
  /^https?:\/\/(?:www\.w3\.org\/2005\/Atom|purl\.org\/atom\/ns#.*|purl\.org\/rss\/1\.0\/?|my\.netscape\.com\/(?:rdf\/simple\/0\.9|publish\/formats\/rss-0\.91\.dtd)\/?|channel\.netscape\.com\/rdf\/simple\/0\.9\/?|backend\.userland\.com\/rss.*|blogs\.law\.harvard\.edu\/tech\/rss|cyber\.law\.harvard\.edu\/rss.*)$/i

/** Elements of other vocabularies get their customary prefix, regardless of the one in the feed. */
export const vocabularies = new Map([
  ['http://www.w3.org/2005/atom', 'atom'],
  ['http://purl.org/rss/1.0/modules/content/', 'content'],
  ['http://purl.org/rss/1.0/modules/syndication/', 'sy'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://purl.org/dc/terms/', 'dcterms'],
  ['http://search.yahoo.com/mrss/', 'media'],
  ['http://search.yahoo.com/mrss', 'media'],
  ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['http://www.google.com/schemas/play-podcasts/1.0', 'googleplay'],
  ['http://rssnamespace.org/feedburner/ext/1.0', 'feedburner'],
])

export type Field =
  | 'title'
  | 'otherTitle'
  | 'link'
  | 'originalLink'
  | 'id'
  | 'content'
  | 'summary'
  | 'media'
  | 'author'
  | 'category'
  | DateField
  | 'comments'
  | 'language'
  | 'originalEnclosure'
  | 'description'
  | 'icon'
  | 'ttl'
  | 'skipHour'
  | 'skipDay'
  | 'period'
  | 'frequency'
/** The most telling first. */
export type DateField = 'date' | 'created' | 'changed'
/** Fields that may occur several times. */
export type Listed = 'author' | 'category'
const sharedFields: [string, Field][] = [
  ['author', 'author'],
  ['dc:creator', 'author'],
  ['itunes:author', 'author'],
  ['category', 'category'],
  ['dc:subject', 'category'],
  ['language', 'language'],
  ['dc:language', 'language'],
]
export const channelFields = new Map<string, Field>([
  ['title', 'title'],
  ['dc:title', 'otherTitle'],
  ['itunes:title', 'otherTitle'],
  ['link', 'link'],
  ['description', 'description'],
  ['subtitle', 'description'],
  ['tagline', 'description'],
  ['icon', 'icon'],
  ['ttl', 'ttl'],
  ['sy:updateperiod', 'period'],
  ['sy:updatefrequency', 'frequency'],
  ...sharedFields,
])
/** By parent element. */
export const heldFields = new Map<string, Field>([
  ['skiphours/hour', 'skipHour'],
  ['skipdays/day', 'skipDay'],
  ['image/url', 'icon'],
])
export const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
export const periodMinutes = new Map([
  ['hourly', 60],
  ['daily', 1440],
  ['weekly', 10_080],
  ['monthly', 43_200],
  ['yearly', 525_600],
])
export const entryFields = new Map<string, Field>([
  ['title', 'title'],
  ['link', 'link'],
  ['feedburner:origlink', 'originalLink'],
  ['guid', 'id'],
  ['id', 'id'],
  ['content:encoded', 'content'],
  ['content', 'content'],
  ['xhtml:body', 'content'],
  ['body', 'content'],
  ['description', 'summary'],
  ['summary', 'summary'],
  ['tagline', 'summary'],
  ['dc:title', 'otherTitle'],
  ['media:title', 'otherTitle'],
  ['itunes:title', 'otherTitle'],
  ['atom:title', 'otherTitle'],
  ['atom:content', 'content'],
  ['atom:summary', 'media'],
  ['atom:author', 'author'],
  ['dc:description', 'media'],
  ['itunes:summary', 'media'],
  ['media:description', 'media'],
  ['pubdate', 'date'],
  ['published', 'date'],
  ['issued', 'date'],
  ['dc:date', 'date'],
  ['dcterms:issued', 'date'],
  ['dcterms:available', 'date'],
  ['atom:published', 'date'],
  ['created', 'created'],
  ['dcterms:created', 'created'],
  ['updated', 'changed'],
  ['modified', 'changed'],
  ['dcterms:modified', 'changed'],
  ['atom:updated', 'changed'],
  ['comments', 'comments'],
  ['feedburner:origenclosurelink', 'originalEnclosure'],
  ...sharedFields,
])
/** Files attached to an entry, with the attribute that has their address. Those of Media RSS may be in a group. */
export const enclosureElements = new Map<string, 'url' | 'href'>([
  ['enclosure', 'url'],
  ['media:content', 'url'],
  ['media:thumbnail', 'url'],
  ['media:peerlink', 'href'],
])
/** Categories given as attributes. */
export const categoryAttributes = new Map<string, 'term' | 'text' | 'label'>([
  ['category', 'term'],
  ['atom:category', 'term'],
  ['itunes:category', 'text'],
  ['googleplay:category', 'text'],
  ['media:category', 'label'],
])

/** By the relation of an Atom link; 2 for others, 0 for those that don't lead to the entry. */
export const ranks = new Map([
  ['alternate', 4],
  ['enclosure', 1],
  ['replies', 0],
  ['self', 0],
  ['edit', 0],
  ['edit-media', 0],
  ['service.edit', 0],
  ['service.post', 0],
  ['license', 0],
  ['hub', 0],
])
/** The entry as something else than a page. */
export const otherKindRank = 3
export const linkRank = 5
/** The link itself goes through a click counter. */
export const originalRank = 6
