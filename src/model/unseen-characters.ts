/**
 * The inside of a character class (flag `v`) of what a reader cannot see although text may hold it: invisible, formatting
 * and direction-changing characters, tag characters, fillers. The two selectors that give an emoji its style are left out.
 */
export const UNSEEN_CHARACTERS = String.raw`\u2028\u2029\ufff9-\ufffb[\p{Default_Ignorable_Code_Point}--[\ufe0e\ufe0f]]`;
