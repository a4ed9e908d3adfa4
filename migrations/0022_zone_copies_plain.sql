-- Read often, and as a whole: packing and unpacking would cost more than the room it saves.

ALTER TABLE zone_copies ALTER COLUMN body SET STORAGE EXTERNAL;
