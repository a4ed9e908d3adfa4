/** The search field of the header: its id, and the event by which it opens its list to go somewhere. */
export const searchFieldId = 'domain-search';
export const goToEvent = 'nameward-go-to';
