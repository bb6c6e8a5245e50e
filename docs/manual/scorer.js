// What a search finds is listed by what helps a reader most: how to do it, then what it is, then how it came to be.
const FIRST = /^(howto\/|faq|tutorial|training)/;
const LAST = /^(results|decisions|changes|contributing|promises|reference\/all)/;
var Scorer = {
  score: ([page, , , , score]) => score + (FIRST.test(page) ? 3 : LAST.test(page) ? -4 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
