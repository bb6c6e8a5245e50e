"""Documents as lecturers, authors and students write them, on models that the corpus does not have."""
