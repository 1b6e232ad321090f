/** Topics of the sample newspaper. `{name}` is filled in from `words`; each article uses some of the sentences. */
export type Topic = {
  name: string
  headlines: readonly { headline: string; lead: string }[]
  sentences: readonly string[]
}

export const topics: readonly Topic[] = [
  {
    name: 'science',
    headlines: [
      {
        headline: 'Space probe {probe} passes the moon {moon}',
        lead: 'After {years} years on its way the space probe {probe} flew past {moon} last night, at a distance of {km} kilometres.',
      },
      {
        headline: 'Telescope on {hill} sees a star that should not be there',
        lead: 'Astronomers at the telescope on {hill} have found a star {years} times as heavy as theory allows.',
      },
      {
        headline: 'Research station counts {count} unknown mosses',
        lead: 'Scientists of the research station in {quarter} have described {count} kinds of moss that nobody had named before.',
      },
      {
        headline: 'Students build a satellite for the price of a bicycle',
        lead: 'A satellite no larger than a loaf of bread, built by {count} students of the technical school, is to go into space in spring.',
      },
      {
        headline: 'Why the ice of {moon} sings',
        lead: 'The ice on the moon {moon} hums at {count} hertz, and a team from {quarter} believes to know the reason.',
      },
    ],
    sentences: [
      'The data fill {count} reels of tape and will keep the institute busy until autumn.',
      'Professor {person} called the result "a gift that we have yet to unwrap".',
      'Two other observatories have been asked to look at the same patch of sky.',
      'Money for the work comes from a foundation whose founder made a fortune with umbrellas.',
      'A first attempt, {years} years ago, had ended with a blown fuse.',
      'Whether life could exist there is a question that the team does not want to be asked at breakfast.',
      'The instrument weighs {count} grams and was calibrated in a cellar under {hill}.',
      'Schools can borrow a model of it, with a handbook of {km} pages.',
      'An independent group in the harbour laboratory obtained {count} samples and came to the same conclusion.',
      'The paper will appear in the journal of the academy, with {years} authors and one dog.',
      '"We checked the cables {count} times", said {person}, who leads the experiment.',
      'The next window for a launch opens in {years} months.',
    ],
  },
  {
    name: 'city',
    headlines: [
      {
        headline: 'City council votes on new tram to {quarter}',
        lead: 'The city council decides on Thursday about a tram line of {count} stops that would join {quarter} with the harbour.',
      },
      {
        headline: 'Budget: {quarter} library stays open on Sundays',
        lead: 'By {count} votes to {years} the city council has found money in the budget to keep the library of {quarter} open on Sundays.',
      },
      {
        headline: 'Bridge at {hill} closed for {years} weeks',
        lead: 'Engineers found {count} loose rivets in the bridge below {hill}, which is closed to carts and cars from Monday on.',
      },
      {
        headline: 'Sponsored: move into the {quarter} towers',
        lead: 'Sponsored. {count} flats with a view of the city council chamber are for sale in {quarter}, with a lift that seldom stops.',
      },
      {
        headline: 'Market women of {quarter} win their lawsuit',
        lead: 'The fish market of {quarter} may keep its {count} stalls, the court of the district has ruled.',
      },
    ],
    sentences: [
      'Councillor {person} spoke for {count} minutes and was applauded by the visitors on the gallery.',
      'The opposition wants to see the plans for the drains first.',
      'A petition with {km} signatures was handed over in a laundry basket.',
      'The work will cost {count} crowns for every inhabitant, half of it paid by the region.',
      'Shopkeepers along the street fear for the weeks before the winter feast.',
      'In {years} years, says the building office, nobody will remember how it was before.',
      'The mayor, {person}, was seen on the site in rubber boots.',
      'A hearing for residents takes place in the school at {hill}, with soup.',
      'Cyclists are sent over the {quarter} meadow, which floods {years} times a year.',
      'The last decision of this kind was overturned by a court within {count} days.',
      'An old well came to light when the pavement was opened.',
      'Deputy {person} abstained because of an aunt who lives there.',
    ],
  },
  {
    name: 'weather',
    headlines: [
      {
        headline: 'Storm from the west: gusts of {count} knots expected',
        lead: 'From the evening on a storm will cross the coast with gusts of {count} knots, says the harbour office.',
      },
      {
        headline: 'Fog holds {count} ferries in port',
        lead: 'Thick fog lay over {quarter} until noon; {count} ferries did not leave.',
      },
      {
        headline: 'Warmest week for {years} years',
        lead: 'With {count} degrees in the shade of {hill} this was the warmest week for {years} years.',
      },
    ],
    sentences: [
      'Umbrellas are sold out in {quarter}.',
      'The barometer at the town hall fell by {years} lines within an hour.',
      'Farmers around {hill} hope for {count} millimetres of rain before Sunday.',
      'Watchman {person} lit the lamps at three in the afternoon.',
      'Trains run {count} minutes late, those to the north not at all.',
      'Toward the weekend the wind turns to the south and it becomes milder.',
      'The gulls, for once, stayed on the roof of the fish hall.',
      'A tree of {km} years fell across the road at {hill}; nobody was hurt.',
      'Children may stay at home, the school office lets parents decide.',
      'The tide will be {years} hands higher than usual.',
    ],
  },
  {
    name: 'sport',
    headlines: [
      {
        headline: '{quarter} rowers win by a hand',
        lead: 'The eight of {quarter} has won the race around the lighthouse by a hand after {count} minutes.',
      },
      {
        headline: 'Chess: {person} holds the champion to a draw',
        lead: 'After {count} moves and {years} cups of tea {person} and the champion agreed on a draw.',
      },
      {
        headline: 'Football: {quarter} beats the harbour {years} to nil',
        lead: 'Before {km} spectators {quarter} has beaten the harbour eleven with {years} goals to nil.',
      },
    ],
    sentences: [
      'Coach {person} spoke of a day on which even the wind was on our side.',
      'The referee counted {count} fouls and one dog on the pitch.',
      'Next week the team travels to {hill}, where it has not won for {years} years.',
      'The captain played with a bandage from the {count}th minute on.',
      'Tickets for the final are sold at the tram stop in {quarter}.',
      'The record of the course, {count} years old, was missed by a breath.',
      'A brass band of {years} played until the lights went out.',
      'The losers have lodged a protest because of the colour of the buoys.',
      '"We practised this at {hill} in the rain", said {person}.',
      'The prize is a ham and {km} crowns.',
    ],
  },
]

export const words = {
  probe: ['Halcyon', 'Bellwether', 'Kestrel', 'Night Heron', 'Lodestar'],
  moon: ['Themis', 'Oriel', 'Calder', 'Nyx', 'Parable'],
  hill: ['Cobbler Hill', 'the Watchstone', 'Juniper Ridge', 'Saint Odo', 'the Old Kiln'],
  quarter: ['Netmakers', 'Upper Quay', 'Tanners Row', 'Eastlight', 'the Salt Garden'],
  person: ['Ada Brandt', 'Jonas Weill', 'Mirela Okafor', 'Tove Lindqvist', 'Elias Moreau', 'Noor Haddad'],
} as const
