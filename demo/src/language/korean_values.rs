//! The Korean texts with values in braces by their English keys, sorted.

/// Pairs of an English key and its Korean text.
pub(super) const TABLE: &[(&str, &str)] = &[
    (
        "A picture takes {} ms here: view {} m, {} shadows (F5 changes it)",
        "여기서 그림 한 장에 {} ms 걸립니다. 시야 {} m, 그림자 {} (F5로 변경)",
    ),
    (
        "A picture takes {} ms here: {} % of the resolution now (F5 changes it)",
        "여기서 그림 한 장에 {} ms 걸립니다. 이제 해상도의 {} %로 그립니다 (F5로 변경)",
    ),
    (
        "Copied: {} takes it in hand",
        "복사했습니다: {} 키로 손에 듭니다",
    ),
    ("Delete {}?", "{}: 삭제할까요?"),
    ("Flying at {} m/s", "비행 속도 {} m/s"),
    ("Judging {}", "{} 판정 중"),
    ("No screenshot: {}", "화면을 저장하지 못했습니다: {}"),
    ("Not all was placed: {}", "일부를 놓지 못했습니다: {}"),
    (
        "Not copied: at most {} voxels on a side, all of them loaded",
        "복사하지 못했습니다: 한 변에 복셀 {}개까지, 모두 불러온 곳이어야 합니다",
    ),
    (
        "Nothing is copied yet: {} at two corners",
        "아직 복사한 것이 없습니다: 두 모서리에서 {}",
    ),
    ("Playing {}", "{} 재생 중"),
    ("Running {} scenes", "장면 {}개 실행 중"),
    ("Saved as {}", "저장했습니다: {}"),
    ("Screenshot {}", "화면 저장: {}"),
    (
        "Seed {}, {} chunks in memory",
        "시드 {}, 메모리에 청크 {}개",
    ),
    ("Strokes: {} done of {}", "작업: {1}개 중 {0}개 적용"),
    ("Walkers {}", "보행자: {}"),
    (
        "click: fire at {} m/s; other button: new targets",
        "클릭: {} m/s로 발사; 다른 버튼: 새 표적",
    ),
    (
        "click: put down; {}: turn; {}: mirror; other button: done",
        "클릭: 내려놓기; {}: 돌리기; {}: 뒤집기; 다른 버튼: 끝",
    ),
    ("defaults are used for {}", "기본값을 쓰는 항목: {}"),
    ("score {} ({} targets left)", "점수 {} (남은 표적 {}개)"),
    (
        "the settings file is broken ({}) and cannot be set aside ({}), nor saved: {}",
        "설정 파일이 잘못되었고 ({}) 따로 치울 수 없어 ({}) 저장하지 않습니다. {}",
    ),
    (
        "the settings file is broken ({}); it is kept as {}: {}",
        "설정 파일이 잘못되었습니다 ({}). {} 파일로 남겨 둡니다. {}",
    ),
    ("they {}", "행동: {}"),
    ("{} % uncovered", "{}% 밝힘"),
    ("{} (hash {})", "{} (해시 {})"),
    (
        "{} MB written  {} MB of targets  {} × {} pixels",
        "전송 {} MB  그림 {} MB  픽셀 {} × {}",
    ),
    ("{} at {} {} {}, {} m away", "{} ({} {} {}), {} m 앞"),
    (
        "{} chunks  {} draws  {} rectangles",
        "청크 {}  그리기 {}  사각형 {}",
    ),
    ("{} has no key now", "{}: 이제 키가 없습니다"),
    ("{} has only {} now", "{}: 이제 {}만 남았습니다"),
    (
        "{} hit, {} left, {} comparisons",
        "명중 {}, 남음 {}, 비교 {}회",
    ),
    ("{} is not there", "{}: 없습니다"),
    ("{} is now {}", "{}: 이제 {}"),
    ("{} is on the shelf", "보관했습니다: {}"),
    ("{} is there already.", "{}: 이미 있습니다."),
    ("{} is this world itself", "{}: 지금 열린 월드입니다"),
    ("{} moved", "{} 옮김"),
    ("{} of {}", "{}/{}"),
    ("{} painted", "{} 칠함"),
    (
        "{} part of this world was damaged and set aside; the rest is as it was",
        "월드에서 손상된 부분 {}개를 따로 치워 두었습니다. 나머지는 그대로입니다",
    ),
    (
        "{} parts of this world were damaged and set aside; the rest is as it was",
        "월드에서 손상된 부분 {}개를 따로 치워 두었습니다. 나머지는 그대로입니다",
    ),
    ("{} picked up", "주운 아이템 {}개"),
    ("{} pictures a second", "초당 {}프레임"),
    ("{} placed", "{} 놓음"),
    ("{} scenes: {} pass, {} fail", "장면 {}개: 통과 {}, 실패 {}"),
    ("{} taken away", "{} 치움"),
    ("{} ticks, hash {}", "{}틱, 해시 {}"),
    ("{} voxels", "복셀 {}개"),
    ("{} voxels imported", "복셀 {}개를 가져왔습니다"),
    ("{} walkers", "보행자 {}명"),
    ("{} walkers {}", "보행자 {}명 {}"),
    (
        "{} x {} x {} voxels, lowest corner: {}",
        "{} x {} x {} 복셀, 가장 낮은 모서리: {}",
    ),
    ("{} {}, size {}", "{}, {}, 크기 {}"),
    (
        "{}, {} degrees; wheel: turn; {}",
        "{}, {}도; 휠: 돌리기; {}",
    ),
    ("{}. {} was opened instead", "{}. 대신 {} 파일을 열었습니다"),
    ("{}: help", "{}: 도움말"),
    (
        "{}: settings last for this run only",
        "{}: 설정은 이번 실행에만 쓰입니다",
    ),
    ("{}: {} voxels", "{}: 복셀 {}개"),
    ("{}: {}; it is tried again", "{}: {}. 다시 시도합니다"),
];
